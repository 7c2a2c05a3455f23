/** What drizzle-kit reads to write the migrations of state.db: `bun run migrations`. */
export default {
  dialect: 'sqlite',
  schema: ['./src/store/tables/sessions.ts'],
  out: './src/store/migrations/state',
}
