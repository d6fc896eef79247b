"""How is a kernel launched? Grid, block, cluster and dynamic shared memory, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Launch:
    """Blocks in the grid, threads in a block and blocks in a cluster (x, y, z each), and dynamic shared memory.

    ``programmatic``: the launch may begin before the one before it in the stream has ended (programmatic dependent
    launch); the kernel waits for what it needs by ``griddepcontrol``.
    """

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_smem_bytes: int = 0  # a block
    cluster: tuple[int, int, int] = (1, 1, 1)
    programmatic: bool = False

    @property
    def blocks(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def fault(self) -> str:
        """Why no card can launch this; empty where one may."""
        sizes = {"grid": self.grid, "block": self.block, "cluster": self.cluster}
        for name, size in sizes.items():
            if len(size) != 3 or not all(isinstance(n, int) and n >= 1 for n in size):
                return f"its {name} is {size}; it has three whole numbers of at least 1"
        if self.threads > 1024:
            return f"its block has {self.threads} threads; a block has at most 1024"
        if any(g % c for g, c in zip(self.grid, self.cluster, strict=True)):
            return f"its grid {self.grid} is not made of whole clusters {self.cluster}"
        if self.dynamic_smem_bytes < 0:
            return f"its dynamic shared memory is {self.dynamic_smem_bytes} bytes"
        return ""

    @property
    def words(self) -> str:
        """``grid 32x1x1, block 256x1x1``, and what is not usual."""
        parts = [f"grid {'x'.join(map(str, self.grid))}", f"block {'x'.join(map(str, self.block))}"]
        if self.cluster != (1, 1, 1):
            parts.append(f"cluster {'x'.join(map(str, self.cluster))}")
        if self.dynamic_smem_bytes:
            parts.append(f"{self.dynamic_smem_bytes} bytes of dynamic shared memory")
        if self.programmatic:
            parts.append("programmatic dependent launch")
        return ", ".join(parts)
