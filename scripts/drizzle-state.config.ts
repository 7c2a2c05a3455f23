/** What drizzle-kit reads to write the migrations of state.db: `bun run migrations`. */
export default {
  dialect: 'sqlite',
  schema: ['./src/store/tables/sessions.ts', './src/store/tables/exports.ts'],
  out: './src/store/migrations/state',
}
