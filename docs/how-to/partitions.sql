-- Run once, on an empty database, before the first start: `store` and its vectors in 16 partitions by
-- user and kind. 512 is the length of the vectors of the default embedder.
CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE store (
    prefix text NOT NULL,
    key text NOT NULL,
    value jsonb NOT NULL,
    created_at timestamptz DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamptz DEFAULT CURRENT_TIMESTAMP,
    expires_at timestamptz,
    ttl_minutes int,
    PRIMARY KEY (prefix, key)
) PARTITION BY HASH (prefix);

CREATE TABLE store_vectors (
    prefix text NOT NULL,
    key text NOT NULL,
    field_name text NOT NULL,
    embedding vector(512),
    created_at timestamptz DEFAULT CURRENT_TIMESTAMP,
    updated_at timestamptz DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (prefix, key, field_name),
    FOREIGN KEY (prefix, key) REFERENCES store (prefix, key) ON DELETE CASCADE
) PARTITION BY HASH (prefix);

ALTER TABLE store_vectors ALTER COLUMN embedding SET STORAGE MAIN;

DO $$
BEGIN
    FOR n IN 0..15 LOOP
        EXECUTE format(
            'CREATE TABLE store_%s PARTITION OF store FOR VALUES WITH (MODULUS 16, REMAINDER %s)', n, n);
        EXECUTE format(
            'CREATE TABLE store_vectors_%s PARTITION OF store_vectors '
            'FOR VALUES WITH (MODULUS 16, REMAINDER %s)', n, n);
    END LOOP;
END $$;

CREATE INDEX store_prefix_idx ON store (prefix text_pattern_ops);
CREATE INDEX idx_store_expires_at ON store (expires_at) WHERE expires_at IS NOT NULL;

-- LangGraph's own set-up has nothing left to do.
CREATE TABLE store_migrations (v integer PRIMARY KEY);
CREATE TABLE vector_migrations (v integer PRIMARY KEY);
INSERT INTO store_migrations VALUES (0), (1), (2), (3);
INSERT INTO vector_migrations VALUES (0), (1), (2);
