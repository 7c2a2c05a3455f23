/** Settings of drizzle-kit, which writes the migrations of engine.db: `bun run migrations`. */
export default {
  dialect: 'sqlite',
  schema: ['./src/store/tables/*.ts', './src/**/engine-db.ts'],
  out: './src/store/migrations/engine',
}
