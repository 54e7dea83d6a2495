"""Maps of vectors in two dimensions: what a map shows, where it lies, and a page on which to look."""

from isotropy_report.maps.build import MapPage, map_page

__all__ = ["MapPage", "map_page"]
