"""The article as data: its instances and sweeps, its printed tables, and both run again side by side.

Jiang, Hashima, Hatano and Takimoto, Multi-thresholding good arm identification with bandit feedback.
"""

from satisfice.paper.article import TABLES, printed_table
from satisfice.paper.reproduction import Reproduction, reproduce

__all__ = ["TABLES", "Reproduction", "printed_table", "reproduce"]
