/** Settings of drizzle-kit, which writes the migrations of state.db: `bun run migrations`. */
export default {
  dialect: 'sqlite',
  schema: './src/**/state-db.ts',
  out: './src/store/migrations/state',
}
