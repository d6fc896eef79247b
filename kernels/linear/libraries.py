"""What computes the same product? cuBLAS on the recorder's stream, and PyTorch's linear on the recorder's memory."""

from __future__ import annotations

import numpy as np

from recorder.libraries import cublas as blas
from recorder.libraries import pytorch
from recorder.libraries.call import Called
from recorder.measure.workload import Workload

pytorch.load_ahead()


def cublas(work: Workload) -> Called:
    """Y = X W^T by cublasGemmEx with FP32 sums.

    cuBLAS counts in columns: the row-major Y (batch x out) is its column-major Y^T (out x batch), so Y^T = W X^T with
    W transposed in its eyes.
    """
    bindings, handle = blas.bindings(), blas.handle(work.device)
    (batch, inner), (out, _) = work.shape("x"), work.shape("w")
    kinds = {name: blas.KINDS[dtype] for name, dtype in work.types.items()}
    one, zero = np.array([1.0], np.float32), np.array([0.0], np.float32)

    def enqueue(copy: int) -> None:
        bindings.gemm_ex(
            handle, blas.TRANSPOSED, blas.PLAIN, out, batch, inner, one.ctypes.data,
            work.address("w", copy), kinds["w"], inner, work.address("x", copy), kinds["x"], inner,
            zero.ctypes.data, work.address("y", copy), kinds["y"], out, blas.COMPUTE_32F, blas.DEFAULT_ALGORITHM,
        )  # fmt: skip

    return Called(blas.version(), enqueue)


def torch_linear(work: Workload) -> Called:
    """``torch.nn.functional.linear``'s own operator, which is given where to write."""
    linear = pytorch.bindings().ops.aten.linear.out

    def call(t: dict) -> None:
        linear(t["x"], t["w"], None, out=t["y"])

    return Called(pytorch.version(), pytorch.enqueue_on_stream(work, call))
