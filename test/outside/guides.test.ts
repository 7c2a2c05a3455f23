/** The guides for authors and the operator’s handbook work as they are written, line by line. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/executable.ts'
import { listBlocks, runGuide } from '../support/guide.ts'

const FOLDER = join(import.meta.dir, '../../src/model/guides')

/** For operators; the guides in `FOLDER` are for authors. */
const HANDBOOK = '../../commands/README.md'

/** Files that a guide takes for granted, by its name. */
const GIVEN: Readonly<Record<string, (folder: string) => void>> = {
  'from-another-database.md': (folder) => {
    using shop = new Database(join(folder, 'shop.sqlite'))
    shop.run('CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL)')
    shop.run(
      'CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), ' +
        'ordered_on TEXT NOT NULL)',
    )
    shop.run("INSERT INTO customers (name) VALUES ('Harbour Hotel'), ('Quay Cafe')")
    shop.run(
      "INSERT INTO orders (customer_id, ordered_on) VALUES (1, '2026-05-01'), (1, '2026-05-02'), " +
        "(2, '2026-06-01')",
    )
  },
}

test.each([...readdirSync(FOLDER).sort(), HANDBOOK])(
  '%s',
  async (name) => {
    using home = temporaryFolder()
    const page = readFileSync(join(FOLDER, name), 'utf8')
    GIVEN[name]?.(home.path)
    const { outputs, exitCode, errors } = await runGuide(page, home.path)
    expect({ exitCode, errors, last: [...outputs].at(-1) }).toMatchObject({ exitCode: 0 })
    listBlocks(page).forEach(({ language, text }, at) => {
      if (language !== 'text') return
      const output = outputs.get(at - 1) ?? ''
      for (const line of text.trim().split('\n')) expect(output).toContain(line)
    })
  },
  300_000,
)
