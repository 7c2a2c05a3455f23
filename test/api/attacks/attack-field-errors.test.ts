/**
 * A broken rule of a field that the caller may not see names neither the field nor its label, nor
 * says what the author says of it, by any path that writes.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Objects, refusal, type Reply, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

/** Fields that are not shown, each with a value that breaks its rule. */
const BAD = {
  Uniq: "'taken'",
  Needed: 'NULL',
  Shape: "'?'",
  Long: "'longer'",
  Ruled: "'bad'",
  MakerId: '99',
} as const
const FIELDS = ['Uniq', 'Needed', 'Shape', 'Long', 'Ruled', 'MakerId', 'Computed'] as const

/** Authored SQL is not held to a pattern, and a reference that it breaks names no field at all. */
const STORED = FIELDS.filter((name) => name !== 'Shape' && name !== 'MakerId')
const BY_SQL: ReadonlySet<string> = new Set(['an action', 'a procedure'])

/** A new record of the kind `Uniq` breaks the rule of Uniq, and so on. */
const column = (name: keyof typeof BAD, more: string, good = 'NULL'): string =>
  `<Column Name="${name}" Label="canary ${name}" ${more}><Default DependsOn="Kind">SELECT CASE @Kind WHEN '${name}' THEN ${BAD[name]} ELSE ${good} END</Default></Column>`

const spoil = Object.entries(BAD)
  .map(([name, value]) => `${name} = CASE @Kind WHEN '${name}' THEN ${value} ELSE ${name} END`)
  .join(', ')
const UPDATE = `UPDATE parts SET ${spoil}, Kind = @Kind WHERE Id = @Id`

const view = (name: string, fields: string): string =>
  `<ObjectView Name="${name}" Entity="Part">${fields}
  <RowAction Name="Spoil"><Parameter Name="NewKind"/><Sql>${UPDATE.replaceAll('@Kind', '@NewKind')}</Sql></RowAction>
  <Detail Name="Below" View="${name}" Parent="HeadId=Id"/>
  <Validate Field="Ruled" Message="canary rule of the view">SELECT @Ruled IS NULL OR @Ruled &lt;&gt; 'worse'</Validate>
</ObjectView>`

const ALL = 'View List Create Update Delete Import'
const rules = FIELDS.map((name) => `<FieldRule Resource="Pieces" Field="${name}" Access="Hidden"/>`)

const MODEL = `<Model>
<Entity Name="Maker" Table="makers"><Column Name="Id" Type="Integer" Key="true" Identity="true"/><Column Name="Name" Type="Text"/></Entity>
<Entity Name="Part" Table="parts" Concurrency="Enabled">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="HeadId" References="Part"/>
  <Column Name="Kind" Type="Text"/>
  <Column Name="Region" Type="Text"/>
  ${column('Uniq', 'Type="Text"', "CASE @Kind WHEN 'first' THEN 'taken' END")}
  ${column('Needed', 'Type="Text" Required="true"', "'x'")}
  ${column('Shape', 'Type="Text" Pattern="[a-z]*" PatternMessage="canary letters"')}
  ${column('Long', 'Type="Text" MaxLength="3"')}
  ${column('Ruled', 'Type="Text"')}
  ${column('MakerId', 'References="Maker"')}
  <Column Name="Computed" Label="canary Computed" Type="Integer" Max="5"><Compute>SELECT CASE @Kind WHEN 'Computed' THEN 9 END</Compute></Column>
  <Index Columns="Uniq" Unique="true" Where="Uniq = 'taken'"/>
  <Validate Field="Ruled" Message="canary rule">SELECT @Ruled IS NULL OR @Ruled &lt;&gt; 'bad'</Validate>
</Entity>
<ObjectView Name="Makers" Entity="Maker"/>
${view('Parts', FIELDS.map((name) => `<Field Name="${name}" In="None"/>`).join(''))}
${view('Pieces', '')}
<StoredProcedure Name="Spoil" Mode="Write"><Parameter Name="Id" Type="Integer"/><Parameter Name="Kind"/><Sql>${UPDATE}</Sql></StoredProcedure>
<Rbac>
  <Role Name="Clerk"><Grant Resource="Parts" Verbs="${ALL}"/><Grant Resource="Spoil" Capabilities="Execute"/></Role>
  <Role Name="Narrow"><Grant Resource="Pieces" Verbs="${ALL}"/><Grant Resource="Spoil" Capabilities="Execute"/>${rules.join('')}</Role>
  <Role Name="Wide"><Grant Resource="Pieces" Verbs="${ALL}"/><RowFilter Resource="Pieces">Region = 'north'</RowFilter></Role>
</Rbac>
</Model>`

const PARTS: TestApplication = {
  files: [{ name: 'parts.xml', body: MODEL }],
  ...makePeople('ONE', { clerk: 'Clerk', narrow: 'Narrow', both: 'Narrow Wide', wide: 'Wide' }),
}

let all: Objects
const keys: Record<string, Row> = {}
beforeAll(async () => {
  all = new Objects(await startApp({ application: PARTS }))
  await all.save('narrow', 'Pieces', { Kind: 'first' })
  for (const Region of ['north', 'south']) {
    const { Keys, RowVersion } = await all.save('narrow', 'Pieces', { Kind: 'good', Region })
    keys[Region] = { ...(Keys as Row), RowVersion }
  }
})
afterAll(() => all[Symbol.asyncDispose]())

const VIEWS = [
  ['clerk', 'Parts'],
  ['narrow', 'Pieces'],
] as const

/** Each way to break the rule of a field. */
const WAYS: [
  name: string,
  key: string,
  break_: (as: string, of: string, kind: string) => Answer,
][] = [
  ['a create', '', (as, of, Kind) => all.submit(as, of, { Kind })],
  [
    'a detail',
    'Below[0]',
    (as, of, Kind) =>
      all.submit(as, of, { Kind: 'head' }, { Details: { Below: { Upsert: [{ Kind }] } } }),
  ],
  ['an action', '', (as, of, kind) => spoilBy(as, of, 'south', kind)],
  ['an import', 'Rows[2]', (as, of, kind) => importKind(as, of, kind)],
  [
    'a procedure',
    '',
    (as, _, Kind) =>
      all.app.fetch('/api/v1/svc/rpc/Spoil', { as, body: { Parameters: { ...keys.south, Kind } } }),
  ],
]

type Answer = Promise<Reply<unknown>>

const spoilBy = (as: string, of: string, region: string, NewKind: string) =>
  all.act(as, of, 'Spoil', { ...keys[region], NewKind })

async function importKind(as: string, objectName: string, kind: string): Answer {
  const form = new FormData()
  form.set('objectName', objectName)
  form.set('file', new File([`Kind\n${kind}\n`], 'parts.csv'))
  const request = new Request('http://localhost/api/v1/svc/object/import-data', {
    method: 'POST',
    headers: { Authorization: `Bearer ${all.app.tokens[as] ?? ''}` },
    body: form,
  })
  const response = await all.app.handle(request)
  const { status, headers } = response
  const text = await response.text()
  return { status, headers, text, body: JSON.parse(text) as Reply<unknown>['body'] }
}

test.each(WAYS)(
  '%s that breaks a rule of a hidden field does not name it',
  async (way, key, ask) => {
    for (const [as, of] of VIEWS) {
      for (const kind of BY_SQL.has(way) ? STORED : FIELDS) {
        const answer = await ask(as, of, kind)
        expect([as, kind, answer.status, answer.text]).toEqual([
          ...[as, kind, 400],
          expect.not.stringMatching(/canary|Uniq|Needed|Shape|Long|Ruled|Maker|Computed/),
        ])
        // What no view has caused names no field of its own accord.
        const isPlain = way === 'a procedure' && answer.body.code !== 'VALIDATION_FAILED'
        if (isPlain) continue
        const { code, fieldErrors } = refusal(answer, 400)
        const names = Object.keys(fieldErrors ?? {})
        expect([as, kind, code, names]).toEqual([as, kind, 'VALIDATION_FAILED', key ? [key] : []])
      }
    }
  },
)

test('a field that the row shows is named, and on a row that hides it it is not', async () => {
  for (const kind of STORED) {
    const seen = refusal(await spoilBy('both', 'Pieces', 'north', kind), 400)
    expect([kind, Object.keys(seen.fieldErrors ?? {})]).toEqual([kind, [kind]])
    const { text } = await spoilBy('both', 'Pieces', 'south', kind)
    expect(text).not.toMatch(/canary|Uniq|Needed|Shape|Long|Ruled|Maker|Computed/)
    const wide = refusal(await all.submit('wide', 'Pieces', { Kind: kind, Region: 'north' }), 400)
    expect([kind, Object.keys(wide.fieldErrors ?? {})]).toEqual([kind, [kind]])
  }
})
