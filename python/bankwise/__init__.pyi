import os
from typing import Any, Dict, Iterable, List, Literal, Optional, Protocol, Sequence, Tuple, Union, overload

from ._access import Access as Access, GlobalAccess as GlobalAccess
from ._batch import LaunchTime as LaunchTime
from ._errors import Error as Error
from ._fix import Fix as Fix, Layout as Layout
from ._predictions import Predictions as Predictions
from ._report import GlobalLine as GlobalLine, GlobalSite as GlobalSite, Hazard as Hazard, Launch as Launch
from ._report import Finding as Finding, Line as Line, Report as Report, Site as Site, Time as Time
from ._timeline import Operation as Operation, Part as Part, Timeline as Timeline
from ._tune import Tuned as Tuned

__version__: str
__all__: List[str]

_Words = Union[str, List[str]]
_Let = Union[str, List[str], Dict[str, int]]
_Triple = Union[int, str, Tuple[int, ...]]
_Extent = Union[int, Tuple[int, ...], List[int]]

class _Compiled(Protocol):
    @property
    def __cubin__(self) -> Any: ...

@overload
def explain(access: Union[str, Iterable[Optional[int]]], *, space: Literal["global"], array: Optional[_Words] = ...,
            op: Optional[str] = ..., width: Optional[int] = ..., type: Optional[str] = ..., let: Optional[_Let] = ...,
            block: Optional[_Triple] = ..., warp: Optional[int] = ..., mask: Union[int, str, None] = ...,
            where: Optional[str] = ..., pad: Optional[str] = ..., swizzle: Optional[_Triple] = ..., base: Optional[int] = ...,
            to: Optional[str] = ..., arch: Optional[str] = ...) -> GlobalAccess: ...
@overload
def explain(access: Union[str, Iterable[Optional[int]]], *, array: Optional[_Words] = ..., op: Optional[str] = ...,
            width: Optional[int] = ..., type: Optional[str] = ..., let: Optional[_Let] = ..., block: Optional[_Triple] = ...,
            warp: Optional[int] = ..., mask: Union[int, str, None] = ..., where: Optional[str] = ...,
            pad: Optional[str] = ..., swizzle: Optional[_Triple] = ..., source: Optional[str] = ..., zfill: bool = ...,
            arch: Optional[str] = ..., phases: Optional[_Triple] = ...,
            space: Optional[Literal["shared"]] = ...) -> Access: ...
@overload
def fix(*accesses: str, array: Optional[str] = ..., block: Optional[_Triple] = ..., warp: Optional[int] = ...,
        let: Optional[_Let] = ..., type: Optional[str] = ..., shared: Optional[int] = ..., registers: Optional[int] = ...,
        arch: Optional[str] = ...) -> Fix: ...
@overload
def fix(*accesses: str, array: Union[List[str], Tuple[str, ...]], block: Optional[_Triple] = ..., warp: Optional[int] = ...,
        let: Optional[_Let] = ..., type: Optional[str] = ..., shared: Optional[int] = ..., registers: Optional[int] = ...,
        arch: Optional[str] = ...) -> List[Fix]: ...
def predict(addresses: Any, op: str = ..., *, mask: Any = ..., arch: str = ...) -> Predictions: ...
def read_report(file: Union[str, "os.PathLike[str]"]) -> Report: ...
def run(source: Union[str, bytes, "os.PathLike[str]", _Compiled], kernel: Optional[str] = ..., grid: _Extent = ..., block: _Extent = ...,
        args: Sequence[Any] = ..., *, shared: int = ..., cluster: Optional[_Extent] = ..., cooperative: bool = ...,
        arch: Optional[str] = ..., nvcc: Union[str, List[str], None] = ..., counts: bool = ..., fix: bool = ...,
        array: Optional[_Words] = ..., check: Union[str, Sequence[str], None] = ..., ctas: Optional[int] = ..., time: Optional[float] = ...,
        time_model: Optional[Union[str, bool]] = ..., gpu: Optional[str] = ..., caches: Optional[str] = ...,
        seed: Optional[int] = ..., threads: Optional[int] = ..., faults: Optional[str] = ..., strict: bool = ..., root: Optional[str] = ...) -> Report: ...
_Timed = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]], Timeline, Report, Launch]
def assert_faster(faster: _Timed, slower: _Timed, by: float = ..., *, gpu: Optional[str] = ...) -> None: ...
def timeline(program: Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]], Report], *, gpu: Optional[str] = ...,
             arch: Optional[str] = ..., caches: Optional[str] = ..., time: Optional[float] = ...,
             virtual_time: bool = ...) -> Timeline: ...
def run_program(command: Union[str, Sequence[Union[str, "os.PathLike[str]"]]], *, kernel: Optional[str] = ..., counts: bool = ...,
                fix: bool = ..., check: Union[str, Sequence[str], None] = ..., ctas: Optional[int] = ..., time: Optional[float] = ...,
                time_model: Optional[Union[str, bool]] = ..., gpu: Optional[str] = ..., caches: Optional[str] = ...,
                seed: Optional[int] = ..., threads: Optional[int] = ..., faults: Optional[str] = ..., root: Optional[str] = ...,
                env: Optional[Dict[str, str]] = ...) -> Report: ...
_Launch = Union[Tuple[Any, ...], Dict[str, Any]]
def time_many(launches: Iterable[_Launch], *, gpu: Optional[str] = ..., caches: Optional[str] = ..., stop_above: Optional[float] = ...,
              executor: Any = ..., jobs: Optional[int] = ...) -> List[Union[LaunchTime, Error]]: ...
def tune(fn_or_kernel: Any, configs: Iterable[Dict[str, Any]], args: Sequence[Any] = ..., *, kernel: Any = ..., grid: Any = ...,
         block: Any = ..., shared: Any = ..., cluster: Any = ..., arch: Any = ..., nvcc: Union[str, List[str], None] = ...,
         gpu: Optional[str] = ..., caches: Optional[str] = ..., stop_above: Optional[float] = ..., executor: Any = ...,
         jobs: Optional[int] = ...) -> List[Tuned]: ...
def load_ipython_extension(shell: Any) -> None: ...
