"""Sums on the GPU. Importing it on a machine whose GPU it was not built for gives a readable warning; CUDA_ARCH_GUARD=error makes that an error."""
from . import _cuda_guard

_cuda_guard.at_import()

from ._ext import sum  # noqa: E402, A004

__all__ = ["sum"]
