# Cases for PyTorch: the parts of a model, forward and backward.
import torch
import torch.nn.functional as F
from torch import nn

from cases import case, main

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False


def random(*shape, dtype=torch.float32, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype).cuda()


def integers(*shape, below=1000, seed=1):
    return torch.randint(below, shape, generator=torch.Generator().manual_seed(seed)).cuda()


# --- creation, copies, streams


@case
def creation():
    return [torch.zeros(100, device="cuda"), torch.full((7, 9), 3.5, device="cuda"), torch.arange(1000, device="cuda"),
            torch.eye(33, device="cuda"), torch.linspace(0, 1, 77, device="cuda"), torch.tril(random(50, 50))]


@case
def random_numbers():
    torch.cuda.manual_seed(5)
    return [torch.rand(5000, device="cuda"), torch.randn(5000, device="cuda"), torch.randint(100, (5000,), device="cuda"),
            torch.randperm(3000, device="cuda"), torch.bernoulli(torch.full((1000,), 0.3, device="cuda"))]


@case
def strided_copies():
    a = random(64, 48, 5)
    return [a.permute(2, 0, 1).contiguous(), a[::2, 1::3].contiguous(), torch.cat([a, a * 2], 1), torch.stack([a, -a]), a.half(),
            a.to(torch.bfloat16), torch.roll(a, 3, 0), torch.flip(a, [1])]


@case
def streams_and_pinned_memory():
    host = torch.arange(4096, dtype=torch.float32).pin_memory()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        device = host.to("cuda", non_blocking=True) * 2
        done = side.record_event()
    torch.cuda.current_stream().wait_event(done)
    return device + 1


@case
def captured_graph():
    given = torch.zeros(1000, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        given.sin().sum()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = (given.sin() * 3).cumsum(0)
    results = []
    for seed in (1, 2):
        given.copy_(random(1000, seed=seed))
        graph.replay()
        results.append(result.clone())
    return results


# --- pointwise, reductions, normalisation


@case
def pointwise():
    a, b = random(3000), random(3000, seed=2).abs() + 0.1
    return [a + b, a * b, a / b, torch.exp(a), torch.log(b), torch.sin(a), torch.tanh(a), torch.sigmoid(a), torch.erf(a), b**1.7, torch.sqrt(b),
            torch.rsqrt(b), F.gelu(a), F.silu(a), torch.where(a > 0, a, b), a.clamp(-1, 1), torch.atan2(a, b), torch.floor(a), a.sign()]


@case
def pointwise_halves():
    return [f(random(3000, dtype=t)) for t in (torch.float16, torch.bfloat16) for f in (torch.exp, F.gelu, torch.tanh, lambda x: x * 1.7 + 3)]


@case
def pointwise_doubles_and_integers():
    a, i = random(2000).double(), integers(2000)
    return [torch.exp(a), torch.sin(a), a / 3, i // 7, i % 7, i * i, i << 2, (i > 500) & (i < 700)]


@case
def reductions():
    a = random(37, 1111)
    return [a.sum(), a.sum(0), a.sum(1), a.mean(1), a.var(1), a.std(), a.max(1)[0], a.argmax(1), a.amin(0), a.norm(dim=1), a.logsumexp(1), a.prod(0),
            (a > 3).any(1), (a > -9).all(), a.half().sum(1), a.double().sum(0), a.median(1)[0], torch.count_nonzero(a > 1)]


@case
def softmax():
    a = random(64, 1000)
    return [torch.softmax(a, 1), torch.log_softmax(a, 1), torch.softmax(a, 0), torch.softmax(a.half(), 1), torch.softmax(random(4, 5000), 1)]


@case
def normalisation():
    a, w, b = random(16, 32, 60), random(60, seed=2), random(60, seed=3)
    return [F.layer_norm(a, (60,), w, b), F.group_norm(a, 8), F.rms_norm(a, (60,), w), F.layer_norm(random(8, 4096).half(), (4096,)),
            nn.BatchNorm1d(32, device="cuda")(a)]


# --- sorting, scans, indices


@case
def sorting():
    a = random(20, 3000)
    return [*a.sort(1), *a.topk(10, 1), *torch.sort(integers(50000, below=1 << 40)), a.argsort(1, descending=True), *a.kthvalue(7, 1),
            *torch.sort(random(200000), stable=True)]


@case
def scans():
    a = random(20, 3000)
    return [a.cumsum(1), a.cumsum(0), a.cumprod(1), *a.cummax(1), integers(100000).cumsum(0), a.logcumsumexp(1)]


@case
def unique_and_histograms():
    i = integers(20000, below=300)
    return [*torch.unique(i, return_counts=True), torch.bincount(i), torch.histc(random(5000), 40, -3, 3), torch.nonzero(i == 7),
            *torch.unique_consecutive(i // 100, return_counts=True), torch.searchsorted(random(500).sort()[0], random(300, seed=2))]


@case
def indices():
    a, i = random(500, 64), integers(900, below=500)
    sums = torch.zeros(500, 64, dtype=torch.long, device="cuda").index_add_(0, i, integers(900, 64))
    return [a[i], a.index_select(0, i), F.embedding(i, a), a.gather(0, i.view(-1, 1).expand(-1, 64)), sums, a[a > 1], torch.take_along_dim(a, a.argsort(1), 1),
            F.one_hot(i, 500).sum(0)]


@case
def pooling_and_interpolation():
    a = random(2, 3, 33, 31)
    return [F.max_pool2d(a, 2), F.avg_pool2d(a, 3), F.adaptive_avg_pool2d(a, 5), F.interpolate(a, scale_factor=2, mode="bilinear"), F.pad(a, (2, 3, 1, 1), "reflect"),
            F.grid_sample(a, random(2, 9, 9, 2).tanh(), align_corners=False)]


# --- products


@case
def matrix_products():
    a, b, c = random(65, 130), random(130, 77, seed=2), random(65, 77, seed=3)
    return [a @ b, (b.t() @ a.t()), torch.addmm(c, a, b, beta=0.5, alpha=2), a @ b[:, 0], torch.bmm(random(6, 33, 20), random(6, 20, 41)), a.double() @ b.double(),
            torch.einsum("bij,bkj->bik", random(3, 16, 24), random(3, 32, 24)), torch.dot(a[0], a[1]), torch.outer(a[0], b[0])]


@case
def matrix_products_halves():
    results = []
    for t in (torch.float16, torch.bfloat16):
        a, b = random(64, 128, dtype=t), random(128, 96, seed=2, dtype=t)
        results += [a @ b, torch.bmm(a.view(2, 32, 128), b.t().contiguous().view(2, 48, 128).transpose(1, 2)), F.linear(a, b.t().contiguous(), random(96, dtype=t))]
    return results


@case
def complex_and_integer_products():
    a = torch.complex(random(30, 40), random(30, 40, seed=2))
    i = integers(64, 64, below=20).to(torch.int8)
    return [torch.view_as_real(a @ a.t()), torch.view_as_real(a @ a.conj().t()), torch._int_mm(i, i)]


@case
def linear_layers():
    layer = nn.Linear(100, 60, device="cuda")
    with torch.no_grad():
        layer.weight.copy_(random(60, 100, seed=2) * 0.1)
        layer.bias.copy_(random(60, seed=3))
    a = random(40, 100).requires_grad_()
    F.gelu(layer(a)).square().sum().backward()
    return [a.grad, layer.weight.grad, layer.bias.grad]


@case
def convolution_without_cudnn():
    with torch.backends.cudnn.flags(enabled=False):
        a, w = random(2, 3, 20, 20).requires_grad_(), random(8, 3, 3, 3, seed=2).requires_grad_()
        result = F.conv2d(a, w, padding=1)
        result.square().sum().backward()
        return [result, a.grad, w.grad, F.conv2d(random(1, 8, 12, 12), random(8, 1, 3, 3, seed=2), groups=8)]


@case
def convolution_with_cudnn():
    return F.conv2d(random(2, 3, 20, 20), random(8, 3, 3, 3, seed=2), padding=1)


def with_gradients(function, *inputs):
    """The result, and the gradients of the sum of its squares."""
    result = function(*[x.requires_grad_() for x in inputs])
    result.float().square().sum().backward()
    return [result] + [x.grad for x in inputs]


@case
def convolution_of_lines_images_volumes():
    return (with_gradients(lambda x, w, b: F.conv1d(x, w, b, padding=2, stride=2), random(2, 4, 31), random(6, 4, 5, seed=2), random(6, seed=3)) +
            with_gradients(lambda x, w, b: F.conv2d(x, w, b, padding=1, stride=2), random(2, 5, 15, 14), random(6, 5, 3, 3, seed=2), random(6, seed=3)) +
            with_gradients(lambda x, w, b: F.conv3d(x, w, b, padding=1), random(2, 3, 7, 8, 9), random(4, 3, 3, 3, 3, seed=2), random(4, seed=3)))


@case
def convolution_dilated_and_in_groups():
    return (with_gradients(lambda x, w: F.conv2d(x, w, padding=2, dilation=2), random(2, 4, 16, 17), random(6, 4, 3, 3, seed=2)) +
            with_gradients(lambda x, w: F.conv2d(x, w, padding=1, groups=4), random(2, 8, 12, 12), random(12, 2, 3, 3, seed=2)) +
            with_gradients(lambda x, w: F.conv2d(x, w), random(2, 8, 12, 12), random(12, 8, 1, 1, seed=2)))


@case
def convolution_transposed():
    return (with_gradients(lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1), random(2, 6, 9, 8), random(6, 4, 3, 3, seed=2)) +
            with_gradients(lambda x, w: F.conv_transpose2d(x, w, stride=2, groups=2), random(2, 6, 9, 8), random(6, 4, 3, 3, seed=2)))


@case
def convolution_with_channels_last():
    x, w = random(2, 8, 14, 14).to(memory_format=torch.channels_last), random(16, 8, 3, 3, seed=2).to(memory_format=torch.channels_last)
    return with_gradients(lambda a, b: F.conv2d(a, b, padding=1), x, w)


@case
def convolution_in_half_precision():
    results = []
    for dtype in (torch.float16, torch.bfloat16):
        x, w = random(2, 8, 14, 14, dtype=dtype), random(16, 8, 3, 3, dtype=dtype, seed=2)
        results += with_gradients(lambda a, b: F.conv2d(a, b, padding=1), x, w)
        results += with_gradients(lambda a, b: F.conv2d(a, b, padding=1), *(t.detach().to(memory_format=torch.channels_last) for t in (x, w)))
    return results


@case
def convolution_in_double_precision():
    return with_gradients(lambda a, b: F.conv2d(a, b, padding=1), random(2, 3, 9, 9, dtype=torch.float64), random(4, 3, 3, 3, dtype=torch.float64, seed=2))


@case
def convolution_with_benchmark():
    with torch.backends.cudnn.flags(enabled=True, benchmark=True, allow_tf32=False):
        return with_gradients(lambda a, b: F.conv2d(a, b, padding=1), random(2, 8, 14, 14), random(16, 8, 3, 3, seed=2))


@case
def convolution_in_a_captured_graph():
    x, w = torch.zeros(2, 8, 14, 14, device="cuda"), random(16, 8, 3, 3, seed=2)
    F.conv2d(x, w, padding=1)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = F.conv2d(x, w, padding=1).relu()
    x.copy_(random(2, 8, 14, 14))
    graph.replay()
    return result


@case
def convolution_with_bias_and_relu():
    x, w, b, z = random(2, 8, 14, 14), random(16, 8, 3, 3, seed=2), random(16, seed=3), random(2, 16, 14, 14, seed=4)
    return [torch.cudnn_convolution_relu(x, w, b, [1, 1], [1, 1], [1, 1], 1),
            torch.cudnn_convolution_add_relu(x, w, z, 0.5, b, [1, 1], [1, 1], [1, 1], 1)]


@case
def batch_norm_in_training():
    m = seeded(nn.BatchNorm2d(8))
    x = random(4, 8, 10, 10).requires_grad_()
    (m(x) * random(4, 8, 10, 10, seed=3)).sum().backward()
    line = seeded(nn.BatchNorm1d(16))
    half = seeded(nn.BatchNorm2d(8))
    small = random(4, 8, 10, 10, dtype=torch.float16).to(memory_format=torch.channels_last).requires_grad_()
    (half(small).float() * random(4, 8, 10, 10, seed=3)).sum().backward()
    return [m(x), x.grad, m.weight.grad, m.bias.grad, m.running_mean, m.running_var, line(random(32, 16)), small.grad, half.weight.grad]


@case
def batch_norm_in_evaluation():
    m = seeded(nn.BatchNorm2d(8))
    m(random(4, 8, 10, 10))
    m.eval()
    return with_gradients(m, random(4, 8, 10, 10, seed=2))


def recurrent(m, *inputs):
    inputs = [x.requires_grad_() for x in inputs]
    result, last = m(*inputs)
    last = last if isinstance(last, tuple) else (last,)
    (result.square().sum() + sum(x.sum() for x in last)).backward()
    return [result, *last, *(x.grad for x in inputs), *(p.grad for p in m.parameters())]


@case
def lstm():
    return recurrent(seeded(nn.LSTM(12, 16, num_layers=2)), random(7, 3, 12)) + recurrent(seeded(nn.LSTM(12, 16, bidirectional=True, batch_first=True)), random(3, 7, 12))


@case
def gru_and_plain_recurrence():
    return (recurrent(seeded(nn.GRU(12, 16, num_layers=2, bidirectional=True)), random(7, 3, 12)) + recurrent(seeded(nn.RNN(12, 16)), random(7, 3, 12)) +
            recurrent(seeded(nn.RNN(12, 16, nonlinearity="relu")), random(7, 3, 12)))


@case
def lstm_of_sequences_of_several_lengths():
    m = seeded(nn.LSTM(12, 16, bidirectional=True))
    x = random(7, 3, 12).requires_grad_()
    packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([7, 4, 2]))
    result, (hidden, cell) = m(packed)
    result = nn.utils.rnn.pad_packed_sequence(result)[0]
    (result.square().sum() + hidden.sum()).backward()
    return [result, hidden, cell, x.grad, *(p.grad for p in m.parameters())]


@case
def lstm_in_half_precision_and_projected():
    return recurrent(seeded(nn.LSTM(16, 16)).half(), random(5, 8, 16, dtype=torch.float16)) + recurrent(seeded(nn.LSTM(12, 16, proj_size=8)), random(7, 3, 12))


@case
def ctc_loss():
    raw = random(20, 4, 11).requires_grad_()
    targets = torch.randint(1, 11, (4 * 6,), generator=torch.Generator().manual_seed(2), dtype=torch.int32)
    loss = F.ctc_loss(raw.log_softmax(2), targets, torch.full((4,), 20, dtype=torch.int32), torch.full((4,), 6, dtype=torch.int32), reduction="sum")
    loss.backward()
    return [loss, raw.grad]


@case
def sampling_of_images():
    theta, x = random(2, 2, 3), random(2, 3, 9, 9)
    return with_gradients(lambda t, a: F.grid_sample(a, F.affine_grid(t, (2, 3, 7, 8), align_corners=True), align_corners=True), theta, x)


@case
def transforms_of_fourier():
    return [torch.view_as_real(torch.fft.fft(random(4, 120))), torch.view_as_real(torch.fft.rfft2(random(16, 24))), torch.fft.irfft(torch.fft.rfft(random(3, 64)))]


@case
def linear_algebra():
    a = random(24, 24)
    positive = a @ a.t() + 24 * torch.eye(24, device="cuda")
    return [torch.linalg.cholesky(positive), torch.linalg.solve(positive, a), torch.linalg.inv(positive), torch.linalg.det(positive)]


# --- attention


def attention(backend, dtype, causal=False):
    q, k, v = (random(2, 4, 96, 64, dtype=dtype, seed=s).requires_grad_() for s in (1, 2, 3))
    with nn.attention.sdpa_kernel(backend):
        result = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    result.float().square().sum().backward()
    return [result, q.grad, k.grad, v.grad]


@case
def attention_flash():
    return attention(nn.attention.SDPBackend.FLASH_ATTENTION, torch.float16, True) + attention(nn.attention.SDPBackend.FLASH_ATTENTION, torch.bfloat16)


@case
def attention_memory_efficient():
    return attention(nn.attention.SDPBackend.EFFICIENT_ATTENTION, torch.float32, True)


@case
def attention_math():
    return attention(nn.attention.SDPBackend.MATH, torch.float32)


@case
def attention_cudnn():
    return attention(nn.attention.SDPBackend.CUDNN_ATTENTION, torch.float16, True) + attention(nn.attention.SDPBackend.CUDNN_ATTENTION, torch.float16)


# --- training


def seeded(module):
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(torch.randn(p.shape, generator=generator) * (0.2 if p.dim() > 1 else 0.05))
    return module.cuda()


def train(module, given, loss_of, optimizer, steps=3):
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(module(given))
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses + list(module.parameters())


def perceptron():
    return seeded(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.LayerNorm(64), nn.Linear(64, 10)))


@case
def training_of_a_perceptron():
    m, labels = perceptron(), integers(50, below=10)
    return train(m, random(50, 32), lambda y: F.cross_entropy(y, labels), torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9))


@case
def training_with_adam():
    m, labels = perceptron(), integers(50, below=10)
    return train(m, random(50, 32), lambda y: F.cross_entropy(y, labels), torch.optim.AdamW(m.parameters(), lr=0.01, fused=True))


@case
def training_with_mixed_precision():
    m, labels = perceptron(), integers(50, below=10)
    optimizer, scaler = torch.optim.SGD(m.parameters(), lr=0.1), torch.amp.GradScaler("cuda")
    for _ in range(2):
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = F.cross_entropy(m(random(50, 32)), labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return list(m.parameters())


@case
def training_of_a_transformer_block():
    m = seeded(nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True))
    return train(m, random(2, 32, 64), lambda y: y.square().mean(), torch.optim.AdamW(m.parameters(), lr=0.01), 2)


class residual_block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.norm1, self.norm2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)

    def forward(self, x):
        return F.relu(self.norm2(self.second(F.relu(self.norm1(self.first(x))))) + x)


@case
def training_of_a_residual_network_with_mixed_precision():
    m = seeded(nn.Sequential(nn.Conv2d(3, 16, 3, padding=1, bias=False), residual_block(16), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)))
    m, x, labels = m.to(memory_format=torch.channels_last), random(4, 3, 16, 16).to(memory_format=torch.channels_last), integers(4, below=10)
    with torch.autocast("cuda", dtype=torch.float16):
        loss = F.cross_entropy(m(x), labels)
    loss.backward()
    return [loss] + [p.grad for p in m.parameters()]


@case
def training_of_a_residual_network():
    m = seeded(nn.Sequential(nn.Conv2d(3, 16, 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3, 2, 1), residual_block(16),
                             nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)))
    labels = integers(4, below=10)
    return train(m, random(4, 3, 32, 32), lambda y: F.cross_entropy(y, labels), torch.optim.SGD(m.parameters(), lr=0.05, momentum=0.9), 2)


@case
def second_derivatives():
    a = random(40).requires_grad_()
    (first,) = torch.autograd.grad((a.sin() * a.exp()).sum(), a, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), a)
    return [first, second]


@case
def dropout():
    torch.cuda.manual_seed(3)
    a = random(5000).requires_grad_()
    result = F.dropout(a, 0.4)
    result.sum().backward()
    return [result, a.grad]


# --- linear algebra: the sign of some vectors is not defined, so products of the vectors are compared


def positive(*shape, dtype=torch.float32, seed=1):
    a = random(*shape, shape[-1], dtype=dtype, seed=seed)
    return a @ a.mH + torch.eye(shape[-1], dtype=dtype, device="cuda")


@case
def factored_systems():
    results = []
    for dtype in (torch.float32, torch.float64, torch.complex64, torch.complex128):
        a, b = positive(20, dtype=dtype), random(20, 3, dtype=dtype, seed=2)
        lower = torch.linalg.cholesky(a)
        lu, pivots = torch.linalg.lu_factor(a)
        results += [lower, torch.cholesky_solve(b, lower), torch.cholesky_inverse(lower), lu, pivots, torch.linalg.lu_solve(lu, pivots, b), torch.linalg.solve(a, b),
                    torch.linalg.solve_triangular(lower, b, upper=False), torch.linalg.det(a), torch.linalg.slogdet(a).logabsdet, torch.linalg.inv(a)]
    return results


@case
def batches_of_systems():
    a, b = positive(5, 12), random(5, 12, 3, seed=2)
    info = torch.linalg.cholesky_ex(torch.stack([positive(6), -positive(6)])).info
    return [torch.linalg.cholesky(a), torch.linalg.solve(a, b), torch.linalg.inv(a), torch.cholesky_solve(b, torch.linalg.cholesky(a)), torch.linalg.det(a),
            torch.linalg.lu_factor(a).pivots, torch.linalg.solve_triangular(a.tril(), b, upper=False), info, torch.linalg.matrix_exp(a / 50)]


@case
def indefinite_systems():
    a = random(15, 15)
    a = a + a.mT
    factors, pivots = torch.linalg.ldl_factor(a)
    return torch.linalg.ldl_solve(factors, pivots, random(15, 2, seed=2))


@case
def orthogonal_factors():
    results = []
    for shape in ((20, 8), (8, 20), (3, 12, 5)):
        a = random(*shape)
        q, r = torch.linalg.qr(a)
        complete = torch.linalg.qr(a, "complete").Q
        results += [q @ r, q.mT @ q, r.abs(), complete @ complete.mT]
    packed, tau = torch.geqrf(random(9, 6))
    return results + [torch.linalg.householder_product(packed, tau).abs(), torch.ormqr(packed, tau, torch.eye(9, device="cuda")).abs()]


@case
def least_squares():
    a, b = random(30, 6), random(30, 2, seed=2)
    return [torch.linalg.lstsq(a, b).solution, torch.linalg.lstsq(random(4, 12, 5), random(4, 12, 2, seed=2)).solution, torch.linalg.pinv(a), torch.linalg.matrix_rank(a)]


@case
def singular_values():
    results = []
    for driver in ("gesvd", "gesvdj", "gesvda"):
        for shape in ((24, 10), (10, 24), (4, 12, 6)):
            a = random(*shape)
            u, s, vh = torch.linalg.svd(a, full_matrices=False, driver=driver)
            results += [s, (u * s[..., None, :]) @ vh, u.mT @ u]
    full = torch.linalg.svd(random(9, 5, dtype=torch.complex64))
    return results + [torch.linalg.svdvals(random(30, 40)), full.U @ full.U.mH, full.Vh @ full.Vh.mH, torch.linalg.cond(random(8, 8)), torch.linalg.matrix_norm(random(8, 9), 2)]


@case
def eigenvalues_of_symmetric_matrices():
    results = []
    for dtype in (torch.float32, torch.float64, torch.complex64):
        for shape in ((16, 16), (5, 8, 8), (3, 40, 40)):
            a = random(*shape, dtype=dtype)
            a = a + a.mH
            w, v = torch.linalg.eigh(a)
            results += [w, (v * w[..., None, :].to(dtype)) @ v.mH, torch.linalg.eigvalsh(a, UPLO="U")]
    return results


@case
def eigenvalues_of_any_matrix():
    results = []
    for dtype in (torch.float32, torch.float64, torch.complex64):
        a = random(12, 12, dtype=dtype)
        w, v = torch.linalg.eig(a)
        order = torch.argsort(w.real * 1000 + w.imag)
        results += [w[order], a + (a.to(w.dtype) @ v - v * w)]
    return results


@case
def gradients_of_factors():
    results = []
    for f in (torch.linalg.cholesky, torch.linalg.inv, torch.linalg.svdvals, torch.linalg.eigvalsh, lambda a: torch.linalg.solve(a, a @ a), torch.linalg.slogdet):
        a = positive(7).requires_grad_()
        y = f(a)
        (y if torch.is_tensor(y) else y.logabsdet).sum().backward()
        results.append(a.grad)
    return results


# --- sparse matrices


def thinned(*shape, dtype=torch.float32, seed=1):
    return torch.where(random(*shape, seed=seed + 50) > 0.7, random(*shape, seed=seed), 0).to(dtype)


@case
def sparse_products():
    results = []
    for dtype in (torch.float32, torch.float64, torch.complex64, torch.bfloat16, torch.float16):
        a, b = thinned(30, 50, dtype=dtype), random(50, 8, dtype=dtype, seed=2)
        if dtype.itemsize == 2:
            a, b = a.round(), b.round()  # rounded, because the last digits of sums may differ
        results += [a.to_sparse_csr() @ b, a.to_sparse_csr() @ b[:, 0]]
        if dtype.itemsize > 2:
            results += [a.to_sparse() @ b, torch.sparse.addmm(random(30, 8, dtype=dtype, seed=3), a.to_sparse(), b, beta=2, alpha=3)]
    return results


@case
def sparse_times_sparse():
    a, b = thinned(30, 40), thinned(40, 20, seed=2)
    return [(a.to_sparse_csr() @ b.to_sparse_csr()).to_dense(), torch.sparse.mm(a.to_sparse(), b.to_sparse()).to_dense(), (a.to_sparse_csr() + (a * 2).to_sparse_csr()).to_dense(),
            (a.to_sparse() + thinned(30, 40, seed=3).to_sparse()).coalesce().values()]


@case
def sparse_gradients():
    a, b = thinned(20, 30).to_sparse().requires_grad_(), random(30, 6, seed=2).requires_grad_()
    y = torch.sparse.mm(a, b)
    y.square().sum().backward()
    return [y, a.grad.to_dense(), b.grad]


@case
def sampled_products():
    pattern = thinned(20, 30).to_sparse_csr()
    return torch.sparse.sampled_addmm(pattern, random(20, 9), random(9, 30, seed=2), beta=0.5, alpha=2).values()


@case
def sparse_triangles():
    a = thinned(25, 25) + 3 * torch.eye(25, device="cuda")
    b, results = random(25, 4, seed=2), []
    for upper in (False, True):
        for transpose in (False, True):
            results.append(torch.triangular_solve(b, (a.triu() if upper else a.tril()).to_sparse_csr(), upper=upper, transpose=transpose).solution)
    return results


@case
def blocks_of_sparse_matrices():
    a = thinned(4, 6, seed=3).repeat_interleave(4, 0).repeat_interleave(4, 1) * random(16, 24)
    return [a.to_sparse_bsr((4, 4)) @ random(24, 8, seed=2), a.to_sparse_bsr((4, 4)) @ random(24, seed=2), a.to_sparse_csr().to_sparse_csc().to_dense()]


# --- torch.compile


@case
def compiled_pointwise_and_softmax():
    f = torch.compile(lambda a, b: torch.softmax(F.gelu(a) * b + 1, 1))
    return f(random(40, 700), random(40, 700, seed=2))


@case
def compiled_reductions():
    f = torch.compile(lambda a: (a.sum(1), a.var(0), F.layer_norm(a, (700,)), a.argmax(1), a.cumsum(1)))
    return list(f(random(40, 700)))


@case
def compiled_training():
    m, labels = perceptron(), integers(50, below=10)
    return train(torch.compile(m), random(50, 32), lambda y: F.cross_entropy(y, labels), torch.optim.SGD(m.parameters(), lr=0.1))


@case
def compiled_attention():
    def f(q, k, v):
        return nn.attention.flex_attention.flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: torch.where(i >= j, s, -float("inf")))

    import torch.nn.attention.flex_attention
    return torch.compile(f)(*(random(1, 2, 128, 32, dtype=torch.float16, seed=s) for s in (1, 2, 3)))


main()
