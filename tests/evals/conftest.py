from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="session", autouse=True)
def one_blas_thread() -> Iterator[None]:
    """On a busy machine BLAS threads wait for each other, and a suite takes minutes."""
    with threadpool_limits(limits=1, user_api="blas"):
        yield
