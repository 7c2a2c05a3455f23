/** The applications that questions are asked of, with their data, at one day. */
import { CLINIC, makeClinic } from '../../models/clinic/clinic.ts'
import { makeNorthwind, NORTHWIND } from '../../models/northwind/northwind.ts'
import { makeSakila, SAKILA } from '../../models/sakila/sakila.ts'
import { takeOver } from '../account-takeover.ts'
import { startApp, type TestApp } from '../app.ts'
import { Imports } from '../imports.ts'

/** Monday noon in the demo's last month. */
const CLOCK = { now: () => new Date('2026-10-26T11:00:00.000Z') }

/** The applications by their names; each is closed by who started them. */
export async function startApplications() {
  const demo = await startApp({ clock: CLOCK })
  const northwind = await startApp({ application: NORTHWIND, clock: CLOCK })
  await takeOver(new Imports(northwind), 'keeper', makeNorthwind(3))
  const sakila = await startApp({ application: SAKILA, clock: CLOCK })
  const stores = new Imports(sakila)
  const source = makeSakila(7)
  await takeOver(stores, 'keeper', source.shared)
  await takeOver(stores, 'keeper', source.stores[0])
  const clinic = await startApp({ application: CLINIC, clock: CLOCK })
  const practice = makeClinic(11)
  await takeOver(new Imports(clinic), 'desk', practice.shared)
  await takeOver(new Imports(clinic), 'temp', practice.byTemp)
  const all: Record<string, TestApp> = { demo, northwind, sakila, clinic }
  return {
    of: (name: string): TestApp => {
      const found = all[name]
      if (!found) throw new Error(`There is no application ${name}`)
      return found
    },
    [Symbol.asyncDispose]: async () => {
      for (const each of Object.values(all)) await each[Symbol.asyncDispose]()
    },
  }
}
