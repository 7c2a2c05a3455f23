/** Every column that a template offers can be imported, of every view, by all who may import. */
import { expect, test } from 'bun:test'
import type { View } from '../../../src/model/compiled/view.ts'
import { Grant } from '../../../src/access/rights/grant.ts'
import { planImportColumns } from '../../../src/engine/object/import/import-plan.ts'
import {
  findTemplateColumn,
  listImportFields,
} from '../../../src/engine/object/import/import-template.ts'
import { planSheetColumns } from '../../../src/engine/object/read/sheet-columns.ts'
import { WORKSHOP } from '../../models/workshop/workshop.ts'
import { type AppOptions, startApp } from '../../support/app.ts'
import { ATTACKED_RECORDS } from '../../support/attacked-records.ts'
import { EVENT_TICKETS } from '../../support/event-tickets.ts'
import { EXPORTED_TYPES, type MadeFile } from '../../support/exported-types.ts'
import { Imports, IMPORTS } from '../../support/imports.ts'
import { LOOKUPS } from '../../support/lookups.ts'
import { OBJECT_SHOP } from '../../support/object-shop.ts'
import { data } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

/** One role opens all fields of some rows, another some fields of all rows. */
const LEDGER: TestApplication = {
  files: [
    {
      name: 'ledger.xml',
      body: `<Model>
<Entity Name="Entry" Table="entries">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Region" Type="Text"/>
  <Column Name="Price" Type="Decimal" Scale="2"/>
</Entity>
<ObjectView Name="Entries" Entity="Entry"/>
<Rbac>
  <Role Name="North"><Grant Resource="Entries" Verbs="View List Create Update Import"/><RowFilter Resource="Entries">Region = 'north'</RowFilter></Role>
  <Role Name="Namer"><Grant Resource="Entries" Verbs="View List Create Update Import"/><FieldRule Resource="Entries" Field="Price" Access="ReadOnly"/></Role>
</Rbac>
</Model>`,
    },
  ],
  ...makePeople('ONE', { root: 'System', ana: 'North Namer' }),
}

const applications: [string, AppOptions][] = [
  ['the demo', {}],
  ['the shop', { application: OBJECT_SHOP }],
  ['the vault', { application: ATTACKED_RECORDS }],
  ['the desk', { application: EVENT_TICKETS }],
  ['the collection', { application: LOOKUPS }],
  ['the yard', { application: EXPORTED_TYPES }],
  ['the imports', { application: IMPORTS }],
  ['the ledger', { application: LEDGER }],
  ['the workshop', { application: WORKSHOP }],
]

/** Names of the columns that a template has, and of those that an import takes of it. */
function compareColumns(view: View, grant: Grant): { offered: string[]; taken: string[] } {
  const fields = listImportFields(view, grant)
  const columns = fields.map((field) => findTemplateColumn({ view, grant }, field))
  const heads = planSheetColumns({ view, grant }, columns).map(({ label }) => label)
  const request = {
    mode: 'insert',
    keepKeys: false,
    takeover: false,
    keyFields: [],
    mapping: new Map(),
  } as const
  const scope = { view, grant, translations: [], request }
  const { values, lists } =
    heads.length > 0 ? planImportColumns({ cells: heads }, scope) : { values: [], lists: [] }
  const taken = [...values, ...lists].sort((one, other) => one.at - other.at)
  return {
    offered: fields.map(({ name }) => name),
    taken: taken.map(({ field }) => field.name),
  }
}

test.each(applications)('%s', async (_, options) => {
  await using imports = new Imports(await startApp(options))
  const { context, tokens } = imports.app
  const model = context.models.get()
  const importers = new Map<View, string>()
  for (const [as, token] of Object.entries(tokens)) {
    const caller = await context.callers.verify(token)
    for (const view of model.views.values()) {
      const grant = Grant.find(caller, model, view.resource, 'Import')
      if (!grant) continue
      const { offered, taken } = compareColumns(view, grant)
      expect({ view: view.name, as, taken }).toEqual({ view: view.name, as, taken: offered })
      if (offered.length > 0) importers.set(view, as)
    }
  }
  for (const [{ slug }, as] of importers) {
    const made = await imports.call<{ File: MadeFile }>(as, `/${slug}/import-template?format=csv`)
    const { text: file } = await imports.app.fetch(data(made).File.Url, { as })
    const sent = await imports.send(as, { objectName: slug, file, fields: { dryRun: 'true' } })
    expect({ slug, status: sent.status, text: sent.text }).toMatchObject({ status: 200 })
  }
  expect(importers.size).toBeGreaterThan(0)
})
