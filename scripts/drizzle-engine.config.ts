/** What drizzle-kit reads to write the migrations of engine.db: `bun run migrations`. */
export default {
  dialect: 'sqlite',
  schema: [
    './src/store/tables/users.ts',
    './src/store/tables/catalog.ts',
    './src/store/tables/audit.ts',
    './src/store/tables/keys.ts',
    './src/store/tables/sequences.ts',
    './src/store/tables/stamps.ts',
    './src/store/tables/outbox.ts',
    './src/store/tables/mfa.ts',
    './src/store/tables/idempotency.ts',
    './src/store/tables/imports.ts',
    './src/store/tables/files.ts',
  ],
  out: './src/store/migrations/engine',
}
