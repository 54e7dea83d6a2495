import numpy as np
import pytest

from isotropy_lab.isotropy import isoscore, isoscore_from_covariance

torch = pytest.importorskip("torch")

from isotropy_lab.isotropy.regularizer import differentiable_isoscore  # noqa: E402
from tests.isotropy_lab.bad_input import assert_refused  # noqa: E402


def batch(seed=0, shape=(12, 5)):
    X = np.random.default_rng(seed).standard_normal(shape) * np.linspace(1, 3, shape[1]) + 2
    return torch.tensor(X, requires_grad=True)


@pytest.mark.parametrize("shape", [(12, 5), (6, 15)])
def test_the_value_is_that_of_isoscore(shape):
    X = batch(shape=shape)
    assert differentiable_isoscore(X).item() == pytest.approx(isoscore(X), abs=1e-12)
    if shape[0] > shape[1]:
        corrected = differentiable_isoscore(X, estimator="corrected").item()
        assert corrected == pytest.approx(isoscore(X, estimator="corrected"), abs=1e-12)
    assert differentiable_isoscore(X.float()).item() == pytest.approx(isoscore(X), abs=1e-5)
    assert differentiable_isoscore(X.bfloat16()).dtype == torch.float32


@pytest.mark.parametrize("shape", [(12, 5), (6, 15)])
@pytest.mark.parametrize("options", [{}, {"estimator": "corrected"}, {"shrinkage": 0.3}])
def test_the_gradient_equals_finite_differences(shape, options):
    if "shrinkage" in options:
        options = {**options, "reference_covariance": np.diag(np.arange(1.0, shape[1] + 1))}
    X = batch(shape=shape)
    differentiable_isoscore(X, **options).backward()
    step = 1e-6
    for i, j in [(0, 0), (1, 3), (5, 4)]:
        ends = []
        for sign in (1, -1):
            moved = X.detach().clone()
            moved[i, j] += sign * step
            ends.append(differentiable_isoscore(moved, **options).item())
        assert X.grad[i, j].item() == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-5, abs=1e-9)
    assert torch.autograd.gradcheck(lambda Z: differentiable_isoscore(Z, **options), (batch(1, shape),))


def test_shrinkage_mixes_covariances():
    X = batch()
    reference = np.cov(np.random.default_rng(5).standard_normal((50, 5)), rowvar=False)
    own = np.cov(X.detach().numpy(), rowvar=False)
    for weight in (0.0, 0.4, 1.0):
        found = differentiable_isoscore(
            X, reference_covariance=torch.tensor(reference), shrinkage=weight
        ).item()
        assert found == pytest.approx(
            isoscore_from_covariance((1 - weight) * own + weight * reference), abs=1e-12
        )


@pytest.mark.parametrize(
    ("error", "says", "X", "options"),
    [
        (TypeError, "X ndarray torch tensor", np.ones((5, 3)), {}),
        (TypeError, "tensor floating-point", torch.ones((3, 3), dtype=torch.int64), {}),
        (ValueError, "X zero variance", torch.ones((5, 3)), {}),
        (ValueError, "X NaN 1 of 3 rows row 1", torch.tensor([[0.0, 1.0], [float("nan"), 1.0], [2.0, 2.0]]), {}),
        (ValueError, "shrinkage missing", batch(), {"reference_covariance": np.eye(5)}),
        (ValueError, "reference_covariance missing", batch(), {"shrinkage": 0.2}),
        (ValueError, "reference_covariance 4 X 5", batch(), {"reference_covariance": np.eye(4), "shrinkage": 0.2}),
        (ValueError, "shrinkage 2 [0, 1]", batch(), {"reference_covariance": np.eye(5), "shrinkage": 2}),
        (
            ValueError,
            "estimator 'corrected' reference_covariance",
            batch(),
            {"reference_covariance": np.eye(5), "shrinkage": 0.2, "estimator": "corrected"},
        ),
    ],
)  # fmt: skip
def test_bad_input_is_named(error, says, X, options):
    assert_refused(error, says, lambda: differentiable_isoscore(X, **options))
