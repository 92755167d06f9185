"""A small keyword spotter: 49 frames of 10 features in, 12 word scores out.

The PyTorch definition behind keyword_spotter.tosa and keyword_spotter.vgf. Reports on those files point back to the modules
and lines of this file. Nothing here runs when the files are made (see make_keyword_spotter.py): torch is not needed.
"""
from torch import nn


class Stem(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 48, (8, 4), stride=2, padding=(3, 1))
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.relu(self.conv(x))  # stem


class Block(nn.Module):
    """Depthwise 3x3, then pointwise 1x1; a shortcut where the width stays."""

    def __init__(self, width, out):
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 3, padding=1, groups=width)
        self.pointwise = nn.Conv2d(width, out, 1)
        self.shortcut = width == out

    def forward(self, x):
        y = self.depthwise(x)  # depthwise
        y = self.pointwise(y)  # pointwise
        return x + y if self.shortcut else y  # shortcut


class KeywordSpotter(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = Stem()
        self.block1 = Block(48, 64)
        self.block2 = Block(64, 64)
        self.block3 = Block(64, 64)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classify = nn.Linear(64, 12)

    def forward(self, x):
        x = self.stem(x)  # call stem
        x = self.block1(x)  # call block1
        x = self.block2(x)  # call block2
        x = self.block3(x)  # call block3
        x = self.pool(x).flatten(1)  # call pool
        return self.classify(x)  # call classify
