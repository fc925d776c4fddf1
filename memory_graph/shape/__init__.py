"""The shape of a product's memory: what matters in it, what is never kept, and typed profiles."""

from memory_graph.shape.chosen import PLAIN, shape_of, using_shape
from memory_graph.shape.definition import AttributeShape, Shape
from memory_graph.shape.fields import Field, FieldProblem
from memory_graph.shape.files import ShapeProblem, read_shape, read_shapes

__all__ = [
    "PLAIN",
    "AttributeShape",
    "Field",
    "FieldProblem",
    "Shape",
    "ShapeProblem",
    "read_shape",
    "read_shapes",
    "shape_of",
    "using_shape",
]
