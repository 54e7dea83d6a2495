"""Maps of vectors in two dimensions: their scores, their errors, and a page that shows both."""

from isotropy_report.maps.build import MapPage, map_page

__all__ = ["MapPage", "map_page"]
