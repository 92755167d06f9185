"""Makers of operators that move elements, look them up or scan along an axis."""
import numpy as np

from tflite_random import BOOL, F, I16, I32, I64, I8, NONE, RELU, RELU6, U8, maker

ANY = (F, F, I8, U8, I16, I32, I64, BOOL)


def source(case, low, high, kinds=ANY, limit=400, largest=7):
    """Type, quantisation, shape and input of a tensor whose elements are moved."""
    dtype = case.one(*kinds)
    case.tag(dtype)
    q = case.quantisation(dtype)
    shape = case.shape(low, high, limit, largest)
    return dtype, q, shape, case.x(shape, dtype, q)


def indices(case, values, shape=None):
    """A constant of indices, INT32 or INT64."""
    return case.c(np.array(values).reshape(shape if shape is not None else np.shape(values)), case.one(I32, I32, I64))


@maker()
def reshape(case):
    dtype, q, shape, x = source(case, 0, 6)
    left, dims = int(np.prod(shape)), []
    while left > 1 and len(dims) < 5:
        divisor = case.one(*[d for d in range(1, left + 1) if left % d == 0])
        dims.append(divisor)
        left //= divisor
    dims = dims + [left] if left > 1 or not dims or case.chance(0.2) else dims
    if case.chance(0.4):
        dims[case.integer(0, len(dims) - 1)] = -1
    if np.prod(shape) == 1 and case.chance(0.3):
        dims = []
    if case.chance(0.5):
        case.op("RESHAPE", [x, case.c(np.array(dims, np.int32), I32)], dtype, q, dict(new_shape=dims))
    else:
        case.op("RESHAPE", [x], dtype, q, dict(new_shape=dims))


@maker()
def squeeze(case):
    dtype, q, shape, x = source(case, 1, 6, largest=3)
    ones = [i for i, d in enumerate(shape) if d == 1]
    kept = [i - (len(shape) if case.chance(0.3) else 0) for i in ones if case.chance(0.6)]
    case.op("SQUEEZE", [x], dtype, q, dict(squeeze_dims=kept))


@maker()
def expand_dims(case):
    dtype, q, shape, x = source(case, 0, 5)
    case.op("EXPAND_DIMS", [x, case.ints(case.integer(-len(shape) - 1, len(shape)), dtype=case.one(I32, I64))], dtype, q)


@maker()
def transpose(case):
    dtype, q, shape, x = source(case, 1, 6, (F, I8, U8, I16, I32, I64, BOOL))
    case.op("TRANSPOSE", [x, case.c(case.r.permutation(len(shape)), I32)], dtype, q)


@maker()
def concatenation(case):
    dtype = case.one(F, I8, U8, I16, I32, I64, BOOL)
    shape = case.shape(1, 5, 100)
    axis = case.integer(0, len(shape) - 1)
    same = dtype not in (U8, I8) or case.chance(0.6)
    case.tag(dtype, *([] if same else ["rescaled"]))
    out = case.quantisation(dtype)
    ins = []
    for _ in range(case.integer(1, 5)):
        part = (*shape[:axis], case.integer(1, 4), *shape[axis + 1:])
        q = out if same else case.quantisation(dtype, out[0] * 10 ** case.r.uniform(-1, 0))
        ins.append(case.either(part, dtype, q))
    case.op("CONCATENATION", ins, dtype, out, dict(axis=axis - (len(shape) if case.chance(0.3) else 0), fused_activation_function=NONE))


@maker()
def pack(case):
    dtype = case.one(*ANY)
    case.tag(dtype)
    shape, q, count = case.shape(0, 4, 100), case.quantisation(dtype), case.integer(1, 4)
    case.op("PACK", [case.either(shape, dtype, q) for _ in range(count)], dtype, q,
            dict(values_count=count, axis=case.integer(-len(shape) - 1, len(shape))))


@maker()
def unpack(case):
    dtype, q, shape, x = source(case, 1, 5, largest=4)
    axis = case.integer(-len(shape), len(shape) - 1)
    case.op("UNPACK", [x], dtype, q, dict(num=shape[axis], axis=axis), results=shape[axis])


@maker()
def split(case):
    dtype, q, shape, x = source(case, 1, 5)
    axis = case.integer(-len(shape), len(shape) - 1)
    count = case.one(*[d for d in range(1, shape[axis] + 1) if shape[axis] % d == 0])
    case.op("SPLIT", [case.ints(axis), x], dtype, q, dict(num_splits=count), results=count)


@maker()
def split_v(case):
    dtype, q, shape, x = source(case, 1, 5)
    axis = case.integer(-len(shape), len(shape) - 1)
    cuts = sorted(case.r.choice(np.arange(1, shape[axis]), case.integer(0, min(3, shape[axis] - 1)), replace=False)) if shape[axis] > 1 else []
    sizes = np.diff([0, *cuts, shape[axis]]).astype(int)
    if case.chance(0.4):
        sizes[case.integer(0, len(sizes) - 1)] = -1
    case.op("SPLIT_V", [x, case.c(sizes, I32), case.ints(axis)], dtype, q, dict(num_splits=len(sizes)), results=len(sizes))


@maker("PAD", "PADV2", "MIRROR_PAD")
def pad(case):
    dtype, q, shape, x = source(case, 1, 5 if case.name != "MIRROR_PAD" else 4, (F, I8, U8, I16, I32, I64), 200, 6)
    mode = case.integer(0, 1)
    limit = [3] * len(shape) if case.name != "MIRROR_PAD" else [d - 1 if mode == 0 else d for d in shape]
    pads = np.array([[case.integer(0, n), case.integer(0, n)] for n in limit])
    ins = [x, indices(case, pads)]
    if case.name == "PADV2":
        ins.append(case.c(case.values((), dtype), dtype, q))
    case.op(case.name, ins, dtype, q, dict(mode=mode) if case.name == "MIRROR_PAD" else None)


@maker()
def tile(case):
    dtype, q, shape, x = source(case, 1, 5, limit=60)
    case.op("TILE", [x, indices(case, [case.integer(1, 3) for _ in shape])], dtype, q)


@maker()
def broadcast_to(case):
    dtype, q, shape, x = source(case, 0, 5, limit=60)
    target = [*case.shape(0, 6 - len(shape), 10, 3), *[case.integer(2, 4) if d == 1 and case.chance(0.7) else d for d in shape]]
    case.op("BROADCAST_TO", [x, indices(case, np.array(target, np.int32))], dtype, q, version=2)


@maker()
def fill(case):
    dtype = case.one(F, I8, I16, I32, I64, BOOL)
    case.tag(dtype)
    q = case.quantisation(dtype)
    case.op("FILL", [indices(case, np.array(case.shape(0, 5), np.int32)), case.x((), dtype, q)], dtype, q)


@maker("SHAPE", "RANK", "ZEROS_LIKE", "RANGE", "BROADCAST_ARGS")
def constants(case):
    """What follows from shapes: used by an ADD, so that there is an input."""
    if case.name == "RANGE":
        start, step = case.integer(-5, 5), case.one(1, 2, -1, -3)
        y = case.op("RANGE", [case.ints(start), case.ints(start + step * case.integer(1, 6) - case.integer(0, abs(step) - 1)), case.ints(step)], I32,
                    out=False)
        case.op("ADD", [y, case.x((1,), I32)], I32)
    elif case.name == "BROADCAST_ARGS":
        shape = case.shape(1, 4, 50)
        y = case.op("BROADCAST_ARGS", [case.c(np.array(shape), I32), case.c(np.array(case.broadcast(shape), np.int32), I32)], I32, out=False)
        case.op("BROADCAST_TO", [case.x(case.broadcast(shape)), y], F, version=2)
    else:
        dtype, q, shape, x = source(case, 0 if case.name != "SHAPE" else 1, 6, (F, I32, I64) if case.name == "ZEROS_LIKE" else ANY)
        if case.name == "ZEROS_LIKE":
            case.op("ADD", [case.op("ZEROS_LIKE", [x], dtype, out=False), x], dtype)
        else:
            y = case.op(case.name, [x], I32, None, dict(out_type=2) if case.name == "SHAPE" else None, out=False)
            case.op("ADD", [y, case.x((1,), I32)], I32)


@maker()
def reverse_v2(case):
    dtype, q, shape, x = source(case, 1, 5)
    axes = case.r.choice(len(shape), case.integer(1, len(shape)), replace=False)
    low = int(min(axes))
    axes = np.arange(low, low + len(axes)) if low + len(axes) <= len(shape) else axes
    case.op("REVERSE_V2", [x, case.c(axes - (len(shape) if case.chance(0.3) else 0), I32)], dtype, q)


@maker("SPACE_TO_DEPTH", "DEPTH_TO_SPACE")
def depth(case):
    dtype = case.one(F, I8, U8, I32)
    case.tag(dtype)
    block, q = case.integer(1, 3), case.quantisation(dtype)
    n, h, w, c = case.shape(4, 4, 60, 4)
    shape = (n, h * block, w * block, c) if case.name == "SPACE_TO_DEPTH" else (n, h, w, c * block * block)
    case.op(case.name, [case.x(shape, dtype, q)], dtype, q, dict(block_size=block))


@maker("SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND")
def batch(case):
    dtype = case.one(F, I8, U8, I16, I32)
    case.tag(dtype)
    q, axes = case.quantisation(dtype), case.one(1, 2, 2)
    blocks = [case.integer(1, 3) for _ in range(axes)]
    n, c, sizes = case.integer(1, 2), case.integer(1, 3), [case.integer(1, 4) for _ in range(axes)]
    if case.name == "SPACE_TO_BATCH_ND":
        pads = [[a := case.integer(0, b), (-(s + a)) % b + b * case.integer(0, 1)] for s, b in zip(sizes, blocks)]
        shape = (n, *sizes, c)
    else:
        pads = [[a := case.integer(0, min(s * b - 1, 2)), case.integer(0, min(s * b - 1 - a, 2))] for s, b in zip(sizes, blocks)]
        shape = (n * int(np.prod(blocks)), *sizes, c)
    case.op(case.name, [case.x(shape, dtype, q), case.c(np.array(blocks), I32), case.c(np.array(pads), I32)], dtype, q)


@maker("SLICE")
def slice_(case):
    dtype, q, shape, x = source(case, 1, 5)
    begin = [case.integer(0, d - 1) for d in shape]
    size = [-1 if case.chance(0.2) else case.integer(1, d - b) for d, b in zip(shape, begin)]
    kind = case.one(I32, I64)
    first = case.c(np.array(begin), kind)
    if case.chance(0.15):  # known at run time only
        first = case.x((len(shape),), kind, None, np.array(begin).astype(kind))
        size = [d - b if s < 0 else s for s, d, b in zip(size, shape, begin)]
    case.op("SLICE", [x, first, case.c(np.array(size), kind)], dtype, q)


@maker()
def strided_slice(case):
    dtype, q, shape, x = source(case, 1, 4, (F, I8, U8, I16, I32, I64, BOOL))
    begin, end, strides, masks = [], [], [], dict(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)
    axis, entries = 0, 0
    ellipsis = case.integer(0, len(shape)) if case.chance(0.2) else -1
    while axis < len(shape) and not (case.chance(0.1) and entries):
        bit = 1 << entries
        entries += 1
        if axis == ellipsis:
            masks["ellipsis_mask"] |= bit
            begin, end, strides = begin + [0], end + [0], strides + [1]
            axis += case.integer(1, 2)
            ellipsis = -1
            if axis > len(shape):
                break
            continue
        if case.chance(0.08) and entries + len(shape) - axis < 6:
            masks["new_axis_mask"] |= bit
            begin, end, strides = begin + [0], end + [1], strides + [1]
            continue
        n = shape[axis]
        if case.chance(0.15):
            masks["shrink_axis_mask"] |= bit
            at = case.integer(-n, n - 1)
            begin, end, strides = begin + [at], end + [at + 1], strides + [1]
        else:
            step = case.one(1, 1, 2, 3, -1, -2)
            low, high = case.integer(0, n - 1), case.integer(1, n + 2)
            low, high = (min(low, high - 1), high) if step > 0 else (case.integer(0, n + 1), -n - 1 if case.chance(0.5) else -n)
            if step < 0 and low == 0:
                high = -n - 1
            if step > 0 and case.chance(0.2):
                low, high = low - n, high - n if high < n else high
            if case.chance(0.2):
                masks["begin_mask"] |= bit
            if case.chance(0.2):
                masks["end_mask"] |= bit
            begin, end, strides = begin + [low], end + [high], strides + [step]
        axis += 1
    case.op("STRIDED_SLICE", [x, case.c(np.array(begin), I32), case.c(np.array(end), I32), case.c(np.array(strides), I32)], dtype, q, masks, version=4)


@maker()
def dynamic_update_slice(case):
    dtype, q, shape, x = source(case, 1, 4, (F, I8, I32, I64, BOOL))
    update = [case.integer(1, d) for d in shape]
    start = np.array([case.integer(-2, d) for d in shape])
    begin = case.c(start, I32) if case.chance(0.7) else case.x((len(shape),), I32, None, start.astype(np.int32))
    case.op("DYNAMIC_UPDATE_SLICE", [x, case.x(tuple(update), dtype, q), begin], dtype, q)


@maker()
def gather(case):
    dtype, q, shape, x = source(case, 1, 4, (F, I8, U8, I16, I32, I64, BOOL))
    batch = case.integer(0, len(shape) - 1) if case.chance(0.4) else 0
    axis = case.integer(batch, len(shape) - 1)
    where = (*shape[:batch], *case.shape(0, 2, 12, 4))
    values = case.r.integers(0, shape[axis], where)
    kind = case.one(I32, I64)
    ix = case.c(values, kind) if case.chance(0.5) else case.x(where, kind, None, values.astype(kind))
    options = dict(axis=axis - (len(shape) if case.chance(0.3) else 0), batch_dims=batch - (len(where) if batch and case.chance(0.2) else 0))
    case.op("GATHER", [x, ix], dtype, q, options)


@maker()
def gather_nd(case):
    dtype, q, shape, x = source(case, 1, 4, (F, I8, U8, I16, I32, I64, BOOL))
    depth = case.integer(1, len(shape))
    where = case.shape(0, 2, 12, 4)
    values = np.stack([case.r.integers(0, shape[k], where) for k in range(depth)], -1)
    kind = case.one(I32, I64)
    ix = case.c(values, kind) if case.chance(0.5) else case.x(values.shape, kind, None, values.astype(kind))
    case.op("GATHER_ND", [x, ix], dtype, q)


@maker()
def scatter_nd(case):
    dtype = case.one(F, I8, U8, I32, I64, BOOL)
    case.tag(dtype)
    shape, q = case.shape(1, 4, 200), case.quantisation(dtype, zero=0 if dtype != U8 else 0)
    depth = case.integer(1, len(shape))
    total = int(np.prod(shape[:depth]))
    constant = case.chance(0.7)
    rows = case.integer(1, 8) if constant else case.integer(1, total)
    flat = case.r.integers(0, total, rows) if constant and dtype != BOOL else case.r.permutation(total)[:rows]
    values = np.stack(np.unravel_index(flat, shape[:depth]), -1)
    updates = case.x((len(flat), *shape[depth:]), dtype, q)
    if dtype in (I8, U8):
        case.data[-1] = [v // 16 for v in case.data[-1]]
    ix = case.c(values, I32) if constant else case.x(values.shape, I32, None, values.astype(np.int32))
    case.op("SCATTER_ND", [ix, updates, case.c(np.array(shape), I32)], dtype, q)


@maker()
def one_hot(case):
    dtype = case.one(F, I8, U8, I16, I32, I64, BOOL)
    case.tag(dtype)
    shape, size = case.shape(0, 4, 30), case.integer(1, 7)
    ix = case.x(shape, case.one(I32, I64), low=-2, high=size + 1)
    q = case.quantisation(dtype)
    case.op("ONE_HOT", [ix, case.ints(size), case.either((), dtype, q, 0.8), case.either((), dtype, q, 0.8)], dtype, q,
            dict(axis=case.integer(-1, len(shape))))


@maker()
def embedding_lookup(case):
    kind = case.one(F, F, I8, "hybrid")
    case.tag(kind)
    table = case.shape(2, 4, 200)
    ids = case.x((case.integer(1, 6),), I32, low=0, high=table[0] - 1)
    q = (float(np.float32(case.r.uniform(0.01, 0.1))), 0) if kind != F else None
    values = case.c(case.values(table, F if kind == F else I8), F if kind == F else I8, q)
    case.op("EMBEDDING_LOOKUP", [ids, values], I8 if kind == I8 else F, q if kind == I8 else None)


@maker()
def sparse_to_dense(case):
    dtype = case.one(F, I32, I64, I8, U8, BOOL)
    case.tag(dtype)
    shape, q = case.shape(1, 4, 100), case.quantisation(dtype)
    total = int(np.prod(shape))
    flat = np.sort(case.r.permutation(total)[:case.integer(1, min(total, 8))])
    ix = np.stack(np.unravel_index(flat, shape), -1)
    if len(shape) == 1 and case.chance(0.5):
        ix = ix[:, 0]
    values = case.x(() if case.chance(0.3) else (len(flat),), dtype, q)
    case.op("SPARSE_TO_DENSE", [case.c(ix, case.one(I32, I64)), case.c(np.array(shape), I32), values, case.c(case.values((), dtype), dtype, q)],
            dtype, q)


@maker()
def bucketize(case):
    dtype = case.one(F, I32, I64)
    case.tag(dtype)
    bounds = np.unique(np.round(case.r.normal(size=case.integer(1, 6)) * 4) / 2)
    x = case.x(case.shape(1, 5), dtype, **(dict(low=-5, high=5) if dtype != F else {}))
    if dtype == F:
        case.data[0] = [(np.round(v * 2) / 2).astype(np.float32) for v in case.data[0]]
    case.op("BUCKETIZE", [x], I32, None, dict(boundaries=[float(b) for b in bounds]))


@maker()
def reverse_sequence(case):
    dtype, q, shape, x = source(case, 2, 5, (F, U8, I16, I32, I64))
    seq, batch = (int(a) for a in case.r.choice(len(shape), 2, replace=False))
    lengths = case.r.integers(0, shape[seq] + 1, shape[batch])
    kind = case.one(I32, I64)
    ins = case.c(lengths, kind) if case.chance(0.6) else case.x((shape[batch],), kind, None, lengths.astype(kind))
    case.op("REVERSE_SEQUENCE", [x, ins], dtype, q, dict(seq_dim=seq, batch_dim=batch))


@maker()
def cumsum(case):
    dtype, _, shape, x = source(case, 1, 5, (F, I32, I64))
    case.allow(1e-4, 1e-6)
    axis = case.ints(case.integer(-len(shape), len(shape) - 1))
    case.op("CUMSUM", [x, axis], dtype, None, dict(exclusive=case.chance(0.5), reverse=case.chance(0.5)))


@maker()
def topk_v2(case):
    dtype = case.one(F, I8, U8, I32, I64, I16)
    case.tag(dtype)
    shape, q = (*case.shape(0, 3, 20), case.integer(1, 12)), case.quantisation(dtype)
    how = dict(low=-5, high=5) if dtype not in (U8,) and case.chance(0.4) else {}
    x = case.x(shape, dtype, q, **how)
    if how and dtype == F:
        case.data[0] = [np.round(v) for v in case.data[0]]
    case.op("TOPK_V2", [x, case.ints(case.integer(1, shape[-1]))], [dtype, I32], q)


@maker()
def matrix_diag(case):
    dtype, q, _, x = source(case, 1, 4, (F, I8, U8, I16, I32, I64))
    case.op("MATRIX_DIAG", [x], dtype, q)


@maker()
def matrix_set_diag(case):
    dtype, q, shape, x = source(case, 2, 5, (F, I8, U8, I16, I32, I64))
    case.op("MATRIX_SET_DIAG", [x, case.x((*shape[:-2], min(shape[-2:])), dtype, q)], dtype, q)


@maker()
def dilate(case):
    dtype, q, shape, x = source(case, 1, 4, (F, I8, U8, I16, I32, I64))
    case.op("DILATE", [x, case.c(np.array([case.integer(1, 3) for _ in shape]), I32), case.c(case.values((), dtype), dtype, q)], dtype, q)


@maker("SEGMENT_SUM", "UNSORTED_SEGMENT_SUM")
def segment_sum(case):
    dtype, _, shape, x = source(case, 1, 4, (F, I32))
    case.allow(1e-5, 1e-6)
    if case.name == "SEGMENT_SUM":
        ids = np.cumsum(case.r.integers(0, 2, shape[0])) if case.chance(0.8) else np.sort(case.r.integers(0, 5, shape[0]))
        case.op("SEGMENT_SUM", [x, case.c(ids - min(ids[0], ids[0]) if case.chance(0.7) else ids, I32)], dtype)
    else:
        count = case.integer(1, 6)
        case.op("UNSORTED_SEGMENT_SUM", [x, case.c(case.r.integers(-1, count, shape[0]), I32), case.ints(count)], dtype)
