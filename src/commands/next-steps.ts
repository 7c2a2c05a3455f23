/** The commands that come after one that filled a data folder. */
import type { Reader } from '../store/store.ts'
import { loadCompanies } from '../access/companies.ts'
import { findUser } from '../access/users/users.ts'
import type { Arguments } from './arguments.ts'
import { quoteWord } from './shell-word.ts'

/**
 * Plans the commands up to a running server: a company where there is none, a user who holds
 * `role`, and the start.
 */
export async function planNextSteps(
  reader: Reader,
  role: string,
  args: Arguments,
): Promise<string[]> {
  const [company] = await loadCompanies(reader)
  const code = company?.Code ?? 'MAIN'
  const data = nameData(args)
  const make = `appengine company create ${code} --name "Main company"${data}`
  const roles = `--role System --role ${quoteWord(role)}`
  const user = await findFreeName(reader)
  return [
    ...(company ? [] : [make]),
    `appengine user create ${user} ${roles} --company ${quoteWord(code)}${data}`,
    `appengine serve${data}`,
  ]
}

/** The flag that names the same data folder. */
export function nameData(args: Arguments): string {
  const data = args.find('data')
  return data === undefined ? '' : ` --data ${quoteWord(data)}`
}

async function findFreeName(reader: Reader): Promise<string> {
  let name = 'admin'
  for (let at = 2; await findUser(reader, name); at++) name = `admin${at}`
  return name
}
