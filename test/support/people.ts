/** Companies and users of a test, made in one way: their ids are counted from 1 in their order. */
import { saveNewCompany } from '../../src/access/companies.ts'
import { parseRoleGrant } from '../../src/access/users/user-names.ts'
import { type NewUser, saveNewUser } from '../../src/access/users/users.ts'
import type { OpenContext } from '../../src/server/open-context.ts'

/** A user of an application that is not the demo. */
export interface TestUser {
  userName: string
  /** `Role`, or `Role@COMPANY`. */
  roles: readonly string[]
  /** Codes of companies. */
  companies: readonly string[]
  attributes?: Readonly<Record<string, string>>
  email?: string
}

/** The users of an application. */
export interface People {
  /** Codes. */
  companies: readonly string[]
  users: readonly TestUser[]
}

/**
 * A user in words: their roles, and behind `in` their companies where it is not the first one;
 * `Clerk`, `Clerk@ONE Manager@TWO in ONE TWO`, `in TWO`, or nothing at all; behind `in` nothing for
 * no company but those of the roles. Their attributes follow.
 */
export type Person = string | readonly [words: string, attributes: TestUser['attributes']]

const toWords = (text: string): string[] => text.split(' ').filter((word) => word !== '')

/**
 * People in words: `makePeople('ONE TWO', { clerk: 'Clerk', far: 'Clerk in TWO', none: '' })`; with
 * addresses of mail at a domain where one is given.
 */
export function makePeople(
  codes: string,
  people: Readonly<Record<string, Person>>,
  mailDomain?: string,
): People {
  const companies = toWords(codes)
  const users = Object.entries(people).map(([userName, person]): TestUser => {
    const [text, attributes] = typeof person === 'string' ? [person] : person
    const words = toWords(text)
    const at = words.indexOf('in')
    return {
      userName,
      roles: at < 0 ? words : words.slice(0, at),
      companies: at < 0 ? companies.slice(0, 1) : words.slice(at + 1),
      ...(attributes && { attributes }),
      ...(mailDomain !== undefined && { email: `${userName}@${mailDomain}` }),
    }
  })
  return { companies, users }
}

/** A hash that no password has. */
const NO_PASSWORD = 'none'

/** A user to save, with their roles in words and more about them than an application tells. */
export type SavedUser = Omit<NewUser, 'roles' | 'passwordHash'> &
  Partial<Pick<NewUser, 'passwordHash'>> &
  Pick<TestUser, 'roles'>

interface SaveOptions {
  passwordHash?: string
  /** Names of roles, where not those of the model. */
  knownRoles?: readonly string[]
  /** The name of a company by its code, which it is unless told. */
  nameCompany?: (code: string) => string
}

/**
 * Saves companies, then users; gives the ids of the users. They can sign in where the hash of their
 * password is given.
 */
export function savePeople(
  { store, models, clock }: Pick<OpenContext, 'store' | 'models' | 'clock'>,
  { companies = [], users }: { companies?: readonly string[]; users: readonly SavedUser[] },
  options: SaveOptions = {},
): Promise<number[]> {
  const { passwordHash = NO_PASSWORD, nameCompany = (code) => code } = options
  const { knownRoles = [...models.get().roles.keys()] } = options
  const actor = { now: clock.now(), source: 'test' }
  return store.write(
    async (tx) => {
      for (const code of companies)
        await saveNewCompany(tx, { code, name: nameCompany(code) }, actor, models.get())
      const ids: number[] = []
      for (const user of users) {
        const made = { passwordHash, ...user, roles: user.roles.map(parseRoleGrant) }
        ids.push(await saveNewUser(tx, made, { knownRoles, actor }))
      }
      return ids
    },
    { company: 'all', because: 'a test' },
  )
}
