"""Where do questions about the past lie among an embedder's vectors?

Written by `python -m evals.train_recall_intent`: a bias, and a direction as half floats.
"""

PACKED = (
    "Pi4aNhgrR0AKwdU88jwrO3W+mTiqrJk6mq7PPGkwwDtTsfUxPTZUPCM4Lzzct58w/Drovjs80jA3KsIk/TpOMnOs"
    "KawZuAM5Ur7BLbw7oTqmOfEkTL5lt2ora7S5vDimzTSVNLE9ETsFtFQsfK7Dq3Q8jbpssMippjDLpTi7KDjZuMO7"
    "WbkJOhy3+7iFNsY8Xbektx6tVjXsOow4mLnoPTOxkLrMOgU8sbcHQc4yLD2QqC810Dttpry1eL3rOek6E8AoPk04"
    "XDbBuXq8QDzRuBg8Iq7otdS4qTRuN6C0rbdGuhcxcj5DM22wRzhVPim0ybhFtgY2UznDM+a5PzhOPCI1CzRGvTMt"
    "br0COM82oEBFO3w8kTYku480RjalNpo3L7l1OAW5wz43u885SzH+uYQ5xTYfouG2iLEuNHS3QjZVryOsRbxZNfc5"
    "PbbKtKG8sLysM1ae4i3xulq4AzGZtUW+vyzJNbU6YzWFOMU6ZbaSLyOsijJ2t+c4SLTTuX6+vLiluvalNLgUtVs+"
    "2LjctOI9YbtbPfoz8ryetpi1XThBqw0617oRNy40PjIyuzUkFjbYseIsELhSNlI6Bzw5OBEtMLmWODS7TbIhu2Sx"
    "RL1TNx4usy9vPi85f7k6OOY3YDYPuBDBI7rVsrG3G7fQOJy1ALs1vWC4XLwbLau5MLlbuWAtALKYQOQ4oruOtLa5"
    "QjW6tqO4DcA/uAs7BycTPCQ4xDnoOCkwljyHO34/rDpeORiyPK6UOO0cjbbxu2u7crxYLSC1iDJ3rp02VS8NwA4u"
    "mjS1tkw1frQrNDU5gD3Br0o777VhMwa7O7zKNcG3ArFHrGM6Zj8Ls2S9LTJVuay247KnPR89RTsGsxBAwjWcMSS7"
    "tSI2NtW8/6yYtQa04r0/tdU6XDp4vI68Ij3kNdAxGLhLPAK8YzEBvKm0dTZeKOsf3LiUOi24fTF1uvI1R7gBtHKm"
    "jrNarEOu1ypFwG66LzrvMmStNLoGNL+8ELdEuky6sTriHdUxLbaMNXq4GLf2ta411ThvLbY1bTf4sCizrDCVuWu1"
    "0D3opt66yLZLsiew5LxlMYU4nzz1ur66OTUTtwE8+TS1MHq5sjrnLtC/fTgNphY31DtXPnW8ai/mOogihjpvqbo8"
    "ILY/vD20T7F3MuMxHTB9tME7xzUPvZQ1djMiPcY8nzxZvDq22647s5e2jbAROVI2ALtosfA56rm8Nl82/DYkuWI8"
    "ra66vF0yT7Lsp0m0uLzqqCMt3T8OM1cy6zwKPJMsczl2tYAqCza9u9C7OyTWPXm6WjNGMC61VTlwuB+yG73UNAq1"
    "mDfkuXu5CTiINMasJ7bUvPI7EjN8tTqukLRfNlW4qD19OA=="
)
DIRECTIONS = {
    "use": (
        -3.070,
        PACKED,
    ),
}
