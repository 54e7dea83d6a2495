"""IsoScore of a torch tensor with a gradient, to be added to the loss of a model in training."""

from __future__ import annotations

import importlib
from typing import Any

from isotropy_lab import _checks
from isotropy_lab.isotropy.participation import ESTIMATORS, unbiased_traces

__all__ = ["differentiable_isoscore"]


def _torch() -> Any:
    """Return torch, or say how to install it."""
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ModuleNotFoundError(
            'the regularizer needs torch, which is not installed; run: pip install "isotropy-lab[torch]"',
            name="torch",
        ) from error


def differentiable_isoscore(
    X: Any, *, estimator: str = "plug-in", reference_covariance: Any = None, shrinkage: float | None = None
) -> Any:
    """Return IsoScore of a batch as a torch scalar through which gradients flow.

    Parameters
    ----------
    X : torch.Tensor of shape (N, n)
        N ≥ 2 points (4 for "corrected") in n ≥ 2 dimensions, of a floating dtype. Halves are raised to float32.
    estimator : {"plug-in", "corrected"}
        The estimators of `isoscore`, not clipped, so that "corrected", the better choice for small batches, can leave
        [0, 1] and still has a gradient.
    reference_covariance : torch.Tensor of shape (n, n), optional
        A covariance from many points toward which that of the batch is shrunk; no gradient flows into it. Only
        with "plug-in".
    shrinkage : float, optional
        Weight of the reference in [0, 1]; the batch has 1 − `shrinkage`.

    Returns
    -------
    torch.Tensor
        A scalar on the device of `X`; 1 is isotropic.

    Raises
    ------
    ModuleNotFoundError
        If torch is not installed.
    TypeError, ValueError
        If `X` is not a tensor of real floating-point numbers, there are too few points or dimensions, a value is NaN or
        inf, all points coincide, or an option does not exist.

    Notes
    -----
    Invariant under translation and rotation, and under scale when there is no reference. Cost: O(N n · min(N, n)),
    and the same for the gradient; a reference needs the (n, n) matrix. Rudman et al. (2022), Section 6, propose
    such a regularizer as future work.

    Examples
    --------
    A training step would add ``0.1 * (1 - differentiable_isoscore(hidden_states)) ** 2`` to its loss.

    >>> import pytest
    >>> torch = pytest.importorskip("torch")
    >>> from isotropy_lab.isotropy.regularizer import differentiable_isoscore
    >>> X = torch.tensor([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]], requires_grad=True)
    >>> score = differentiable_isoscore(X)
    >>> score.backward()  # the gradient shortens the long axis
    >>> round(score.item(), 4), bool(X.grad[0, 0] < 0)
    (0.2195, True)
    """
    torch = _torch()
    _checks.check_option(estimator, "estimator", ESTIMATORS)
    if not isinstance(X, torch.Tensor) or not X.is_floating_point():
        raise TypeError(f"X is {_checks.describe(X)}; expected a torch tensor of a real floating-point dtype")
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} axes (shape {tuple(X.shape)}); expected a matrix of shape (N, n)")
    corrected = estimator == "corrected"
    _checks.check_size(tuple(X.shape), "X", min_points=4 if corrected else 2, min_dimensions=2)
    n_points, n = int(X.shape[0]), int(X.shape[1])
    points = X.float() if X.dtype in (torch.float16, torch.bfloat16) else X
    centered = points - points[0].detach()
    centered = centered - centered.mean(dim=0)
    scale = centered.detach().abs().max()
    if not bool(torch.isfinite(scale)):
        _checks.raise_if_not_finite(X.detach().double().cpu().numpy(), "X")
        _checks.raise_overflow("X")
    _checks.check_variance(float(scale), "X")
    if reference_covariance is not None or shrinkage is not None:
        return _shrunk(centered, reference_covariance, shrinkage, estimator)
    centered = centered / scale
    product = centered @ centered.T if n_points < n else centered.T @ centered
    total, square = product.diagonal().sum(), product.square().sum()
    if corrected:
        quartic = centered.square().sum(dim=1).square().sum()
        total_square, square = unbiased_traces(n_points, total, square, quartic)
    else:
        total_square = total.square()
    return (total_square / square - 1.0) / (n - 1.0)


def _shrunk(centered: Any, reference: Any, shrinkage: float | None, estimator: str) -> Any:
    torch = _torch()
    if reference is None or shrinkage is None:
        raise ValueError(
            "reference_covariance and shrinkage go together; "
            f"{'shrinkage' if shrinkage is None else 'reference_covariance'} is missing"
        )
    if estimator != "plug-in":
        raise ValueError(f"estimator is {estimator!r}; with a reference_covariance expected 'plug-in'")
    weight = _checks.check_real(shrinkage, "shrinkage", low=0.0, high=1.0)
    checked = _checks.as_covariance(reference, "reference_covariance")
    n_points, n = int(centered.shape[0]), int(centered.shape[1])
    if checked.shape[0] != n:
        raise ValueError(
            f"reference_covariance is {checked.shape[0]} × {checked.shape[0]}, X has {n} dimensions"
        )
    target = torch.from_numpy(checked).to(dtype=centered.dtype, device=centered.device)
    covariance = (1.0 - weight) * (centered.T @ centered) / (n_points - 1) + weight * target
    covariance = covariance / covariance.detach().diagonal().sum()
    total = covariance.diagonal().sum()
    return (total.square() / covariance.square().sum() - 1.0) / (n - 1.0)
