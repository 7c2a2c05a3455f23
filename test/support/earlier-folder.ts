/**
 * Data folders of earlier versions: the migrations of then, each followed by the rows of
 * `test/store/folders/` that the version which came with it writes into what it added.
 */
import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { APPLICATION_ID, type DatabaseKind } from '../../src/store/engine-tables.ts'

const ROOT = join(import.meta.dir, '../..')
const MIGRATIONS = join(ROOT, 'src/store/migrations')
const ROWS = join(ROOT, 'test/store/folders')

/** The migrations in the order in which they came, those of one commit together. */
export const EARLIER_COMMITS: readonly (readonly string[])[] = [
  ['engine/0000_initial.sql', 'state/0000_initial.sql'],
  ['engine/0001_import_lists.sql'],
  ['engine/0002_model_migrations.sql'],
  ['engine/0003_replay_gates.sql'],
  ['engine/0004_documents.sql'],
  ['engine/0005_saved_by.sql'],
  ['engine/0006_jobs.sql'],
  ['engine/0007_search.sql'],
  ['engine/0008_search_feed.sql'],
  ['engine/0009_recurring_jobs.sql'],
  ['engine/0010_push_subscriptions.sql'],
  ['engine/0011_notifications.sql'],
  ['engine/0012_webhooks.sql'],
  ['engine/0013_api_keys.sql', 'state/0001_api_key_uses.sql'],
  ['engine/0014_wizard_runs.sql'],
  ['engine/0015_workflows.sql'],
  ['engine/0016_leaner_jobs.sql'],
  ['engine/0017_assistant.sql'],
  ['state/0002_assistant_tokens.sql'],
  ['engine/0018_webhook_removed.sql'],
  ['state/0003_strays.sql'],
  ['engine/0019_languages.sql'],
  ['engine/0020_takeovers.sql'],
  ['engine/0021_held_jobs.sql'],
  ['engine/0022_own_settings_and_views.sql'],
  ['engine/0023_comments.sql'],
  ['engine/0024_own_jobs.sql'],
  ['engine/0025_mail_parts.sql'],
]

/** Tables of a folder of today whose rows an earlier one has too: who signs in, and the model. */
const SHARED: Readonly<Record<DatabaseKind, readonly string[]>> = {
  engine: [
    'svc_companies',
    'svc_users',
    'svc_user_companies',
    'svc_user_roles',
    'svc_scripts',
    'svc_facts',
    'svc_keys',
  ],
  state: ['svc_sessions', 'svc_refresh_tokens'],
}

/** Facts that only later versions keep, or that tell of what is not taken over. */
const LATER = "'model', 'rights', 'last deploy', 'AuditHead'"

/**
 * Makes both databases of a folder as the version of that commit (counted from 0) left them, with
 * users, sessions and application of the folder `from`.
 */
export function makeEarlierFolder(to: string, from: string, commit: number): void {
  for (const kind of ['engine', 'state'] as const) {
    const names = EARLIER_COMMITS.slice(0, commit + 1)
      .flat()
      .filter((name) => name.startsWith(kind))
    using database = new Database(join(to, `${kind}.db`))
    database.exec('PRAGMA journal_mode=WAL; PRAGMA foreign_keys=OFF')
    database.exec(`ATTACH '${join(from, `${kind}.db`)}' AS today`)
    for (const [at, name] of names.entries()) {
      database.exec(readFileSync(join(MIGRATIONS, name), 'utf8'))
      if (at === 0) takeOver(database, kind)
      database.exec(readFileSync(join(ROWS, name), 'utf8'))
    }
    database.exec(`DETACH today; PRAGMA application_id=${APPLICATION_ID[kind]}`)
    database.exec(`PRAGMA user_version=${names.length}`)
  }
}

function takeOver(database: Database, kind: DatabaseKind): void {
  for (const table of SHARED[kind]) {
    const columns = `SELECT name FROM pragma_table_info('${table}', 'main') WHERE name IN
      (SELECT name FROM pragma_table_info('${table}', 'today'))`
    const found = database.query<{ name: string }, []>(columns).all()
    const names = found.map(({ name }) => `"${name}"`)
    const where = table === 'svc_facts' ? ` WHERE Name NOT IN (${LATER})` : ''
    const list = names.join(', ')
    database.exec(`INSERT INTO ${table} (${list}) SELECT ${list} FROM today.${table}${where}`)
  }
  const own = `SELECT name, type, sql FROM today.sqlite_schema WHERE sql IS NOT NULL
    AND tbl_name NOT LIKE 'svc_%' AND tbl_name NOT LIKE 'sqlite_%' ORDER BY type DESC`
  const objects = database.query<Record<'name' | 'type' | 'sql', string>, []>(own).all()
  for (const { name, type, sql } of objects) {
    database.exec(sql)
    if (type === 'table') database.exec(`INSERT INTO main."${name}" SELECT * FROM today."${name}"`)
  }
}
