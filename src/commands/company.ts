/** `appengine company create`. */
import { systemScope } from '../store/store.ts'
import { loadModel } from '../model/load.ts'
import { saveNewCompany } from '../access/companies.ts'
import type { Arguments } from './arguments.ts'
import { withStores } from './data-folder.ts'
import { EXIT, printResult } from './output.ts'

/** Creates a company. */
export async function runCompanyCreate(args: Arguments): Promise<number> {
  const code = args.word(0)
  const company = {
    code,
    name: args.require('name'),
    timeZone: args.find('time-zone'),
    language: args.find('language'),
  }
  const id = await withStores(args, async ({ store }, { clock }) => {
    const actor = { now: clock.now(), source: 'company create' }
    const model = await loadModel(store)
    return store.write(
      (tx) => saveNewCompany(tx, company, actor, model),
      systemScope('a company is made on the command line'),
    )
  })
  printResult(args, `Company ${code} was created with the id ${id}.`, { Id: id, Code: code })
  return EXIT.done
}
