/** What drizzle-kit reads to write the migrations of engine.db: `bun run migrations`. */
export default {
  dialect: 'sqlite',
  schema: ['./src/store/tables/*.ts', './src/**/engine-db.ts'],
  out: './src/store/migrations/engine',
}
