/** Timelines in random worlds: changes, actions and mails as each reader has them, page by page. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Timeline } from '../../../src/engine/timeline/schema.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { makePeople } from '../../support/people.ts'
import { scaleCases } from '../../support/property.ts'

const MODEL = `<Model>
<Entity Name="Bill" Table="bills" Display="Name" Company="CompanyId" Audit="Enabled">
  <Column Name="Code" Type="Text" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Secret" Type="Text"/>
  <On Event="created"><Mail Role="Clerk" Subject="New {Name}"/></On>
</Entity>
<ObjectView Name="Bills" Entity="Bill">
  <RowAction Name="Name" Label="Rename"><Sql>UPDATE bills SET Name = Name || '+' WHERE Code = @Code</Sql></RowAction>
  <RowAction Name="Hide" Label="Hide it"><Sql>UPDATE bills SET Secret = coalesce(Secret, '') || '+' WHERE Code = @Code</Sql></RowAction>
  <RowAction Name="Fail" Label="Fail">
    <Mail Role="Clerk" Subject="Never"/><Sql Rows="1">UPDATE bills SET Name = 'x' WHERE Code = ''</Sql>
  </RowAction>
  <RowAction Name="Write" Label="Write"><Mail Role="Clerk" Subject="Of {Name}"/></RowAction>
</ObjectView>
<ObjectView Name="Desk" Entity="Bill">
  <RowAction Name="Both" Label="Both"><Sql>UPDATE bills SET Name = Name || '!', Secret = coalesce(Secret, '') || '!' WHERE Code = @Code</Sql></RowAction>
  <RowAction Name="Warn" Label="Warn"><Mail Role="Clerk" Subject="It is {Secret}"/></RowAction>
</ObjectView>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Bills" Verbs="View List Create Update Delete"/>
    <Grant Resource="Desk" Verbs="View List Update"/>
  </Role>
  <Role Name="Blind">
    <Grant Resource="Bills" Verbs="View List"/>
    <FieldRule Resource="Bills" Field="Secret" Access="Hidden"/>
  </Role>
</Rbac>
</Model>`

const APPLICATION = {
  files: [{ name: 'bills.xml', body: MODEL }],
  ...makePeople('ONE', { ana: 'Clerk', bo: 'Blind' }),
}

/** An entry as a reader has it: its kind, its text, and the fields that it names. */
type Told = readonly [kind: string, text: string | null, ...fields: string[]]

interface Known {
  name: string
  secret: string
  /** Entries of those who see all, and of those who see neither Secret nor Desk. */
  ana: Told[]
  bo: Told[]
}

const CODES = ['a', 'b'] as const
const act = fc.constantFrom('create', 'save', 'keep', 'delete', 'Name', 'Hide', 'Fail', 'Write')
const step = fc.record({
  act: fc.oneof(act, fc.constantFrom('Both', 'Warn')),
  code: fc.constantFrom(...CODES),
})
type Step = { act: string; code: (typeof CODES)[number] }

/** Entries that an act adds for those who see all, and for those who do not. */
const TOLD: Readonly<Record<string, (of: Known) => { ana: Told[]; bo?: Told[] }>> = {
  save: () => ({ ana: [['changed', null, 'Name']] }),
  keep: () => ({ ana: [['changed', null, 'Secret']], bo: [] }),
  Name: () => ({ ana: [['action', 'Rename', 'Name']] }),
  Hide: () => ({ ana: [['action', 'Hide it', 'Secret']], bo: [['action', 'Hide it']] }),
  Both: () => ({ ana: [['action', 'Both', 'Name', 'Secret']], bo: [['changed', null, 'Name']] }),
  Fail: () => ({ ana: [] }),
  Write: ({ name }) => ({
    ana: [
      ['action', 'Write'],
      ['mail', `Of ${name}`],
    ],
  }),
  Warn: ({ secret }) => ({
    ana: [
      ['action', 'Warn'],
      ['mail', `It is ${secret}`],
    ],
    bo: [['mail', null]],
  }),
}

/** Changes of the two columns by an act. */
const MOVED: Readonly<Record<string, Partial<Record<'name' | 'secret', string>>>> = {
  save: { name: 's' },
  keep: { secret: 'k' },
  Name: { name: '+' },
  Hide: { secret: '+' },
  Both: { name: '!', secret: '!' },
}

class World {
  readonly bills = new Map<string, Known>()
  readonly #app: TestApp

  constructor(app: TestApp) {
    this.#app = app
  }

  async take({ act: what, code }: Step): Promise<void> {
    const bill = this.bills.get(code)
    if (what === 'create') return bill ? undefined : this.#create(code)
    if (!bill) return
    const moved = MOVED[what] ?? {}
    if (what === 'delete') {
      await this.#send('delete-row', { ObjectName: 'Bills', Parameters: { Code: code } })
      this.bills.delete(code)
    } else if (what === 'save' || what === 'keep') {
      const { name = '', secret = '' } = moved
      const Parameters = { Code: code, Name: bill.name + name, Secret: bill.secret + secret }
      await this.#send('submit', { FormName: 'Bills', Parameters })
    } else {
      const ObjectName = what === 'Both' || what === 'Warn' ? 'Desk' : 'Bills'
      const body = { ObjectName, ActionName: what, Parameters: { Code: code } }
      await this.#send('execute-row-action', body, what === 'Fail' ? 400 : 200)
    }
    const told = TOLD[what]?.(bill)
    if (!told) return
    bill.ana.push(...told.ana)
    bill.bo.push(...(told.bo ?? told.ana))
    bill.name += moved.name ?? ''
    bill.secret += moved.secret ?? ''
  }

  async #create(code: string): Promise<void> {
    const Parameters = { Code: code, Name: 'n', Secret: 's' }
    await this.#send('submit', { FormName: 'Bills', IsNew: true, Parameters })
    const mail: Told = ['mail', 'New n']
    const ana: Told[] = [['created', null, 'Name', 'Secret'], mail]
    const bo: Told[] = [['created', null, 'Name'], mail]
    this.bills.set(code, { name: 'n', secret: 's', ana, bo })
  }

  async #send(path: string, body: object, status = 200): Promise<void> {
    const answer = await this.#app.fetch(`/api/v1/svc/object/${path}`, { as: 'ana', body })
    expect([path, body, answer.status]).toEqual([path, body, status])
  }

  /** The timeline of a bill as a reader has it, the oldest first, read in pages. */
  async read(as: 'ana' | 'bo', code: string, limit: number): Promise<Told[]> {
    const found: Told[] = []
    let Before: string | null = null
    do {
      const page: { body: { data: Timeline } } = await this.#app.fetch('/api/v1/svc/timeline', {
        as,
        body: {
          Object: 'Bills',
          Keys: { Code: code },
          Limit: limit,
          ...(Before !== null && { Before }),
        },
      })
      const { Entries, Next } = page.body.data
      expect(Entries.length).toBeLessThanOrEqual(limit)
      for (const { Kind, Text, Fields } of Entries)
        found.push([Kind, Text, ...Fields.map(({ Field }) => Field)])
      Before = Next
    } while (Before !== null)
    return found.reverse()
  }
}

test('each reader has what happened to a record, once, by whatever pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 6, maxLength: 16 }),
      fc.integer({ min: 1, max: 5 }),
      async (steps, limit) => {
        await using app = await startApp({ application: APPLICATION })
        const world = new World(app)
        for (const code of CODES) await world.take({ act: 'create', code })
        for (const each of steps) await world.take(each)
        for (const [code, bill] of world.bills)
          for (const as of ['ana', 'bo'] as const)
            expect(await world.read(as, code, limit)).toEqual(bill[as])
      },
    ),
    { numRuns: scaleCases(8) },
  )
}, 120_000)
