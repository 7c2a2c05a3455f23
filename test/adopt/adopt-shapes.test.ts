/** Databases of well-known programs: each is taken whole, and reads as a person would write it. */
import { afterAll, describe, expect, test } from 'bun:test'
import Database from 'libsql'
import { CommandHome } from './command.ts'
import { ANKI, CALIBRE, DJANGO, HOME_ASSISTANT, WORDPRESS } from './shapes.ts'
import { makeSource } from './sources.ts'

const home = new CommandHome()
afterAll(() => home[Symbol.dispose]())

interface Report {
  Taken: { Table: string; Entity: string; View: string; Rows: number }[]
  Notes: { Kind: string; Of: string; Text: string }[]
  Files: { FileName: string; Body: string }[]
}

type Cell = string | number | null

/** The rows of a table that no line of the report speaks of are the same here and there. */
function expectSame(name: string, { Taken, Notes }: Report): void {
  const source = new Database(home.path(`${name}.db`), { readonly: true })
  try {
    for (const { Table, Rows } of Taken) {
      const from = source.prepare(`SELECT * FROM "${Table}" ORDER BY 1, 2`).all() as Record<
        string,
        Cell
      >[]
      const to = home.read(name, `SELECT * FROM "${Table}" ORDER BY 1, 2`) as Record<string, Cell>[]
      expect([Table, to.length, from.length]).toEqual([Table, Rows, Rows])
      const told = new Set(
        Notes.filter(({ Kind }) => Kind !== 'found' && Kind !== 'hidden').map(({ Of }) => Of),
      )
      for (const column of Object.keys(from[0] ?? {}))
        if (!told.has(`${Table}.${column}`))
          expect([column, to.map((row) => row[column]).toSorted()]).toEqual([
            column,
            from.map((row) => row[column]).toSorted(),
          ])
    }
  } finally {
    source.close()
  }
}

const SHAPES: [string, sql: string, written: string[], hidden: string[]][] = [
  [
    'wordpress',
    WORDPRESS,
    [
      '<Entity Name="Post" Table="wp_posts" Display="post_title">',
      '<Entity Name="UserRecord" Table="wp_users" Label="User" Display="display_name">',
      '<Column Name="user_id" Label="User" References="UserRecord" Required="true"/>',
      '<Column Name="comment_post_ID" Label="Comment post" References="Post" Required="true"/>',
      '<ObjectView Name="Comments" Entity="Comment">',
    ],
    ['wp_posts.post_password', 'wp_users.user_activation_key', 'wp_users.user_pass'],
  ],
  [
    'django',
    DJANGO,
    [
      '<Field Name="AuthGroups" Multiple="true" Through="AuthUserGroup"/>',
      '<Field Name="AuthUsers" Multiple="true" Through="AuthUserGroup"/>',
      '<Entity Name="AuthUser" Table="auth_user" Display="username">',
      '<Column Name="is_staff" Label="Staff" Type="Boolean" Required="true"/>',
      '<Option Value="in_review" Label="In review"/>',
      '<Column Name="author_id" Label="Author" References="AuthUser" Required="true"/>',
    ],
    ['auth_user.password', 'django_session.session_data', 'django_session.session_key'],
  ],
  [
    'calibre',
    CALIBRE,
    [
      '<Field Name="Authors" Multiple="true" Through="BooksAuthorsLink"/>',
      '<Field Name="Books" Multiple="true" Through="BooksAuthorsLink"/>',
      '<Column Name="isbn" Label="ISBN"/>',
      '<Column Name="book" References="Book" Required="true"/>',
      '<Search Title="title"',
    ],
    [],
  ],
  [
    'home-assistant',
    HOME_ASSISTANT,
    [
      '<Column Name="metadata_id" Label="Metadata" References="StatesMeta"/>',
      '<Entity Name="State" Table="states"',
    ],
    [],
  ],
  ['anki', ANKI, ['<ObjectView Name="Decks" Entity="Deck">', '<Search Title="name"'], []],
]

describe.each(SHAPES)('the shape of %s', (name, sql, written, hidden) => {
  test('is taken whole, passes the check and reads well', async () => {
    makeSource(home.path(`${name}.db`), sql)
    const adopted = await home.run('adopt', `${name}.db`, '--data', name, '--json')
    expect([adopted.exitCode, adopted.err]).toEqual([0, ''])
    const report = JSON.parse(adopted.out) as Report
    expectSame(name, report)
    const model = report.Files.map(({ Body }) => Body).join('\n')
    for (const line of written) expect(model).toContain(line)
    const secrets = report.Notes.filter(({ Kind }) => Kind === 'hidden').map(({ Of }) => Of)
    expect(secrets.toSorted()).toEqual(hidden)
    const checked = await home.run('check', `${name}-model`)
    expect(checked.lines.at(-1)).toMatch(/ 0 faults, 0 warnings\.$/)
  })
})
