-- Move an existing store into partitions, while no worker runs. All of it happens, or nothing:
--   psql --single-transaction --set ON_ERROR_STOP=1 --file into-partitions.sql postgresql://…
ALTER TABLE store RENAME TO store_before;
ALTER TABLE IF EXISTS store_vectors RENAME TO store_vectors_before;
DROP INDEX store_prefix_idx, idx_store_expires_at;
DROP TABLE IF EXISTS store_migrations, vector_migrations;

\ir partitions.sql

INSERT INTO store (prefix, key, value, created_at, updated_at, expires_at, ttl_minutes)
SELECT prefix, key, value, created_at, updated_at, expires_at, ttl_minutes FROM store_before;

DO $$
BEGIN
    IF to_regclass('store_vectors_before') IS NOT NULL THEN
        INSERT INTO store_vectors (prefix, key, field_name, embedding, created_at, updated_at)
        SELECT prefix, key, field_name, embedding, created_at, updated_at FROM store_vectors_before;
    END IF;
END $$;

DROP TABLE IF EXISTS store_vectors_before;
DROP TABLE store_before;
