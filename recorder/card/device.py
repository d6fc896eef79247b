"""How does the recorder reach a GPU? The one module that touches ``cuda.*``: memory, kernels, graphs, times.

Times are microseconds. Addresses are plain integers. Every driver call is checked; a failing one raises
``DeviceError`` with a sentence, and one that broke the context raises ``ContextLost``.
"""

from __future__ import annotations

import ctypes
import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from schema.dtypes import DTYPES
from schema.launch import Launch

# After these the context is unusable: only a fresh process can go on.
_FATAL = {"ILLEGAL_ADDRESS", "LAUNCH_TIMEOUT", "ILLEGAL_INSTRUCTION", "MISALIGNED_ADDRESS", "INVALID_ADDRESS_SPACE"}
_FATAL |= {"INVALID_PC", "LAUNCH_FAILED", "HARDWARE_STACK_ERROR", "ASSERT", "ECC_UNCORRECTABLE", "CONTEXT_IS_DESTROYED"}

_C_TYPES = {  # of a kernel's argument, by numpy's name of a scalar
    "uint64": ctypes.c_uint64, "int64": ctypes.c_int64, "int32": ctypes.c_int32, "float32": ctypes.c_float,
    "float64": ctypes.c_double, "uint16": ctypes.c_uint16,
}  # fmt: skip
_MAPPED = {  # the driver's name of a type in a tensor map; of 8-bit floats only the bytes count
    "fp64": "FLOAT64", "fp32": "FLOAT32", "tf32": "TFLOAT32", "fp16": "FLOAT16", "bf16": "BFLOAT16",
    "fp8_e4m3": "UINT8", "fp8_e5m2": "UINT8", "int32": "INT32", "int8": "UINT8",
}  # fmt: skip


class DeviceError(Exception):
    """Something about the GPU, its driver or its memory, as a sentence for a person."""


class OutOfMemory(DeviceError):
    """The card has no room for an allocation."""


class ContextLost(DeviceError):
    """A kernel faulted; nothing more can run in this process."""


@dataclass(frozen=True)
class Module:
    """A loaded kernel and what the driver says of it."""

    handle: Any  # cuda.core Kernel
    registers: int
    static_smem_bytes: int
    local_bytes: int


def _as_bits(argument: Any) -> Any:
    """A 16-bit float as its bits, for C has no such type; anything else as it is."""
    is_half = isinstance(argument, np.generic) and argument.dtype == np.float16
    return np.uint16(argument.view(np.uint16)) if is_half else argument


class ByValue:
    """A struct that a kernel takes by value: an array that holds its bytes as C lays them out."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = np.ascontiguousarray(array)

    def getPtr(self) -> int:  # the driver's bindings ask for it by this name
        return self.array.ctypes.data


@dataclass(frozen=True)
class Graph:
    """An instantiated graph of ``launches`` launches; ``replay`` puts one replay on the device's stream."""

    replay: Callable[[], None]
    launches: int


def import_cuda() -> Any:
    """``cuda.bindings.driver``, or a sentence that says what to install."""
    try:
        driver: Any = importlib.import_module("cuda.bindings.driver")
    except ImportError:
        raise DeviceError(
            "cuda-python is not installed. Install the recorder's parts with: pip install '.[record]'"
        ) from None
    return driver


def _check(result: tuple[Any, ...], doing: str) -> Any:
    """The values of a driver call, or the error it returned as an exception."""
    status, *values = result
    if int(status) != 0:
        raise _driver_error(str(getattr(status, "name", status)), doing)
    return values[0] if len(values) == 1 else (tuple(values) or None)


def _driver_error(name: str, doing: str) -> DeviceError:
    """The exception for a driver's result code by its name."""
    name = name.removeprefix("CUDA_ERROR_").removeprefix("CUDA_").removeprefix("cuda")
    if name == "OUT_OF_MEMORY":
        return OutOfMemory(f"the card has no memory left for {doing}")
    text = f"{doing} failed: {name.lower().replace('_', ' ')}"
    return ContextLost(text) if name in _FATAL else DeviceError(text)


def core_error(error: Exception, doing: str) -> Exception:
    """What cuda-core raised, in our words where it only hands on a result code of the driver."""
    code = re.match(r"CUDA_ERROR_\w+", str(error))
    return _driver_error(code[0], doing) if code else error


def list_devices(driver: Any = None) -> list[str]:
    """The names of the visible GPUs in CUDA's order; empty when ``driver`` (CUDA's unless given) shows none."""
    driver = driver or import_cuda()
    try:
        _check(driver.cuInit(0), "starting the driver")
        count = _check(driver.cuDeviceGetCount(), "counting the GPUs")
    except DeviceError as error:
        if "no device" in str(error):
            return []
        raise DeviceError(
            f"no usable NVIDIA driver: {error}. Install or update the driver (nvidia-smi must answer)"
        ) from None
    except Exception as error:  # cuda-bindings raises RuntimeError when libcuda is absent
        raise DeviceError(
            "no NVIDIA driver was found (libcuda is missing). Install the driver, or compile only: --arch sm_90"
        ) from error
    names = []
    for index in range(count):
        handle = _check(driver.cuDeviceGet(index), "opening a GPU")
        names.append(_check(driver.cuDeviceGetName(128, handle), "reading a GPU's name").split(b"\0")[0].decode())
    return names


class Device:
    """One GPU with one stream. Not thread-safe; one process uses one.

    ``warm_up_ms`` is how long its clocks take to rise under load.
    """

    warm_up_ms = 300

    def __init__(self, index: int, driver: Any = None) -> None:
        driver = driver or import_cuda()
        names = list_devices(driver)
        if not 0 <= index < len(names):
            there = ", ".join(f"{i}: {name}" for i, name in enumerate(names)) or "none"
            raise DeviceError(f"there is no GPU {index}. The GPUs there are: {there}. Choose one with --gpu")
        core: Any = importlib.import_module("cuda.core")
        self._core, self._driver, self.index = core, driver, index
        self.core_device = core.Device(index)
        self.core_device.set_current()
        self.stream = self.core_device.create_stream()
        self.name: str = names[index]
        major, minor = self.core_device.compute_capability
        self.arch = f"sm_{major}{minor}"
        self._modules: list[Any] = []
        self._buffers: dict[int, int] = {}
        self._graphs: list[tuple[Any, Any]] = []  # instantiated, and what it was made of

    # ---- facts ------------------------------------------------------------------------------------------------

    def attribute(self, name: str) -> int:
        """A device attribute by the driver's name, e.g. ``MULTIPROCESSOR_COUNT``."""
        key = getattr(self._driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(_check(self._driver.cuDeviceGetAttribute(key, self.index), f"reading {name}"))

    def memory_bytes(self) -> tuple[int, int]:
        """(free, total) device memory in bytes."""
        return _check(self._driver.cuMemGetInfo(), "reading the card's memory")

    def pci_bus_id(self) -> str:
        return str(self.core_device.pci_bus_id)

    @property
    def stream_handle(self) -> int:
        return int(self.stream.handle)

    # ---- memory -----------------------------------------------------------------------------------------------

    def alloc(self, nbytes: int) -> int:
        """Address of ``nbytes`` of plain device memory."""
        address = int(_check(self._driver.cuMemAlloc(nbytes), f"{nbytes / 1e6:.0f} MB of device memory"))
        self._buffers[address] = nbytes
        return address

    def free(self, address: int) -> None:
        self._buffers.pop(address, None)
        _check(self._driver.cuMemFree(address), "freeing device memory")

    def free_all(self) -> None:
        """Give back every buffer and every graph; experiments start from an empty card."""
        self.sync()
        graphs, self._graphs = self._graphs, []
        for exec_graph, graph in graphs:
            _check(self._driver.cuGraphExecDestroy(exec_graph), "freeing a graph")
            _check(self._driver.cuGraphDestroy(graph), "freeing a graph")
        for address in list(self._buffers):
            self.free(address)

    def upload(self, address: int, array: np.ndarray) -> None:
        array = np.ascontiguousarray(array)
        _check(self._driver.cuMemcpyHtoD(address, array.ctypes.data, array.nbytes), "copying to the card")

    def download(self, address: int, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        self.sync()
        out = np.empty(shape, dtype)
        _check(self._driver.cuMemcpyDtoH(out.ctypes.data, address, out.nbytes), "copying from the card")
        return out

    def copy(self, target: int, source: int, nbytes: int) -> None:
        """Device to device, on the stream."""
        _check(self._driver.cuMemcpyDtoDAsync(target, source, nbytes, self.stream_handle), "copying on the card")

    def fill(self, address: int, word: int, words: int) -> None:
        """Set ``words`` 32-bit words, on the stream (so it is captured in a graph)."""
        _check(self._driver.cuMemsetD32Async(address, word, words, self.stream_handle), "filling device memory")

    # ---- kernels ----------------------------------------------------------------------------------------------

    def load(self, cubin: bytes, entry: str, name: str = "") -> Module:
        """A kernel out of a cubin; ``name`` is its file, for errors."""
        try:
            code = self._core.ObjectCode.from_cubin(cubin)
            kernel = code.get_kernel(entry)
            a = kernel.attributes
        except Exception as error:
            raise core_error(error, f"loading {name or entry}") from error
        self._modules.append(code)
        return Module(kernel, int(a.num_regs), int(a.shared_size_bytes), int(a.local_size_bytes))

    def blocks_per_sm(self, module: Module, launch: Launch) -> int:
        """Occupancy: resident blocks of this launch an SM can hold, as the driver computes it; clusters not counted."""
        threads = launch.threads
        self._allow_smem(module, launch)
        try:
            return int(module.handle.occupancy.max_active_blocks_per_multiprocessor(threads, launch.dynamic_smem_bytes))
        except Exception as error:
            raise core_error(error, "asking for the occupancy") from error

    def _allow_smem(self, module: Module, launch: Launch) -> None:
        if launch.dynamic_smem_bytes + module.static_smem_bytes > 48 * 1024:
            key = self._driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            handle = self._driver.CUkernel(int(module.handle.handle))
            _check(
                self._driver.cuKernelSetAttribute(key, launch.dynamic_smem_bytes, handle, self.index),
                "raising the kernel's shared memory",
            )

    def launch(self, module: Module, launch: Launch, arguments: Sequence[Any]) -> None:
        """Put one launch on the stream. Pass numpy scalars, an address as np.uint64, tensor maps, ByValue."""
        self._allow_smem(module, launch)
        d = self._driver
        config = d.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = launch.grid
        config.blockDimX, config.blockDimY, config.blockDimZ = launch.block
        config.sharedMemBytes, config.hStream = launch.dynamic_smem_bytes, self.stream_handle
        config.attrs = self._attributes(launch)
        config.numAttrs = len(config.attrs)
        handle = d.CUfunction(int(module.handle.handle))
        arguments = [_as_bits(a) for a in arguments]
        given = tuple(a.item() if isinstance(a, np.generic) else a for a in arguments)
        kinds = tuple(_C_TYPES[a.dtype.name] if isinstance(a, np.generic) else None for a in arguments)
        doing = f"launching {launch.blocks:,} blocks of {launch.threads:,} threads"
        _check(d.cuLaunchKernelEx(config, handle, (given, kinds), 0), doing)

    def _attributes(self, launch: Launch) -> list[Any]:
        d, found = self._driver, []
        if launch.cluster != (1, 1, 1):
            one = d.CUlaunchAttribute()
            one.id = d.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            one.value.clusterDim.x, one.value.clusterDim.y, one.value.clusterDim.z = launch.cluster
            found.append(one)
        if launch.programmatic:
            one = d.CUlaunchAttribute()
            one.id = d.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
            one.value.programmaticStreamSerializationAllowed = 1
            found.append(one)
        return found

    def tensor_map(
        self, address: int, dtype: str, shape: tuple[int, ...], box: tuple[int, ...], swizzle: int = 0
    ) -> Any:
        """A descriptor of a dense C order array for the Tensor Memory Accelerator; boxes past its end read zeros."""
        d, size = self._driver, DTYPES[dtype].nbytes
        kind = getattr(d.CUtensorMapDataType, f"CU_TENSOR_MAP_DATA_TYPE_{_MAPPED[dtype]}")
        steps = [size * int(np.prod(shape[place + 1 :])) for place in range(len(shape) - 1)]
        name = "NONE" if swizzle == 0 else f"{swizzle}B"
        return _check(
            d.cuTensorMapEncodeTiled(
                kind, len(shape), address,
                [d.cuuint64_t(n) for n in reversed(shape)], [d.cuuint64_t(n) for n in reversed(steps)],
                [d.cuuint32_t(n) for n in reversed(box)], [d.cuuint32_t(1)] * len(shape),
                d.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
                getattr(d.CUtensorMapSwizzle, f"CU_TENSOR_MAP_SWIZZLE_{name}"),
                d.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                d.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
            ),
            f"making a tensor map of boxes {'x'.join(map(str, box))} over {'x'.join(map(str, shape))} {dtype}",
        )  # fmt: skip

    # ---- graphs and times ---------------------------------------------------------------------------------------

    def capture(self, enqueue: Callable[[], None], launches: int) -> Graph:
        """A graph of all that ``enqueue`` puts on the stream."""
        exec_graph, _ = self._capture(enqueue)
        return Graph(
            lambda: _check(self._driver.cuGraphLaunch(exec_graph, self.stream_handle), "replaying a graph"), launches
        )

    def _capture(self, enqueue: Callable[[], None]) -> tuple[Any, Any]:
        mode = self._driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
        _check(self._driver.cuStreamBeginCapture(self.stream_handle, mode), "beginning a capture")
        try:
            enqueue()
        finally:
            graph = _check(self._driver.cuStreamEndCapture(self.stream_handle), "ending a capture")
        exec_graph = _check(self._driver.cuGraphInstantiate(graph, 0), "instantiating a graph")
        self._graphs.append((exec_graph, graph))
        _check(self._driver.cuGraphUpload(exec_graph, self.stream_handle), "uploading a graph")
        return exec_graph, graph

    def kernels_of(self, enqueue: Callable[[], None]) -> list[str]:
        """The names of the kernels that ``enqueue`` launches, in order (by capturing it once)."""
        d = self._driver
        _, graph = self._capture(enqueue)
        _, count = _check(d.cuGraphGetNodes(graph, 0), "listing a graph")
        nodes, _ = _check(d.cuGraphGetNodes(graph, count), "listing a graph")
        names = []
        for node in nodes[:count]:
            kind = _check(d.cuGraphNodeGetType(node), "reading a graph")
            if kind == d.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL:
                params = _check(d.cuGraphKernelNodeGetParams(node), "reading a graph")
                if int(params.func):
                    names.append(_check(d.cuFuncGetName(params.func), "naming a kernel").decode())
                else:
                    names.append(_check(d.cuKernelGetName(params.kern), "naming a kernel").decode())
        return names

    def time(self, replay: Callable[[], None], repeats: int) -> list[float]:
        """Microseconds of each of ``repeats`` calls of ``replay``, by events around it, back to back on the stream."""
        d = self._driver
        events = [_check(d.cuEventCreate(0), "creating an event") for _ in range(2 * repeats)]
        try:
            for i in range(repeats):
                _check(d.cuEventRecord(events[2 * i], self.stream_handle), "recording an event")
                replay()
                _check(d.cuEventRecord(events[2 * i + 1], self.stream_handle), "recording an event")
            self.sync()
            return [
                1000.0 * _check(d.cuEventElapsedTime(events[2 * i], events[2 * i + 1]), "reading an event")
                for i in range(repeats)
            ]
        finally:
            for event in events:
                d.cuEventDestroy(event)

    def sync(self) -> None:
        _check(self._driver.cuStreamSynchronize(self.stream_handle), "running the kernels")

    def close(self) -> None:
        self.free_all()
