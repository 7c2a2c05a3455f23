/** The areas of the API as the document groups them: the longest prefix of a path decides. */

export interface Area {
  name: string
  description: string
  prefixes: readonly string[]
}

export const AREAS: readonly Area[] = [
  {
    name: 'Sign-in',
    description: 'Tokens and sessions. Sign in here, then give the AccessToken to Authorize.',
    prefixes: ['/api/v1/auth'],
  },
  {
    name: 'Impersonation',
    description:
      'A System user acts as another one for some minutes, with that user’s rights; what is ' +
      'written is audited under both names.',
    prefixes: ['/api/v1/impersonation'],
  },
  {
    name: 'Companies',
    description:
      'Every record belongs to a company, and every session is in one. Only a sign-in and the ' +
      'switch choose it.',
    prefixes: ['/api/v1/svc/company'],
  },
  {
    name: 'Time zone',
    description: 'The zone that the caller’s days and date words are meant in.',
    prefixes: ['/api/v1/svc/timezone'],
  },
  {
    name: 'Access',
    description:
      'Who may what: users, roles and their grants. Everybody acts within the companies that ' +
      'they administer, and nobody hands out what they do not hold.',
    prefixes: ['/api/v1/svc/auth'],
  },
  {
    name: 'Objects',
    description:
      'Grids, forms and mutations. An object is addressed by its view name or slug. Structure ' +
      '(metadata) is fetched once; data is fetched apart from it and gated by permissions.',
    prefixes: ['/api/v1/svc/object'],
  },
  {
    name: 'Object explorer',
    description: 'What there is to list, how it hangs together, and ad-hoc queries with sums.',
    prefixes: ['/api/v1/svc/object-explorer'],
  },
  {
    name: 'Procedures',
    description: 'Stored procedures of the model, called by name with declared parameters.',
    prefixes: ['/api/v1/svc/rpc'],
  },
  {
    name: 'Model catalog',
    description: 'The scripts of the deployed model, verbatim, and the deploy of others.',
    prefixes: ['/api/v1/svc/scripts', '/api/v1/svc/object/list'],
  },
  {
    name: 'Files',
    description: 'Files of records, uploads that wait for one, and exports.',
    prefixes: ['/files'],
  },
  {
    name: 'Scripts',
    description:
      'Scripts that extensions in the data folder register. Each runs in a process of its own, ' +
      'with the rights of its caller.',
    prefixes: ['/api/v1/svc/execute-script'],
  },
  {
    name: 'Handlers',
    description: 'File formats of exports and imports: the engine’s own and those of extensions.',
    prefixes: ['/api/v1/svc/handlers'],
  },
  {
    name: 'Audit',
    description: 'Who changed what from what to what, in a log whose entries are chained by hash.',
    prefixes: ['/api/v1/svc/audit'],
  },
  {
    name: 'Operations',
    description: 'Health of the server and this document.',
    prefixes: ['/health', '/swagger'],
  },
]

const OTHER = 'Other'

/** The name of the area that a path belongs to. */
export function areaOf(path: string): string {
  const matches = AREAS.flatMap(({ name, prefixes }) =>
    prefixes.filter((prefix) => path.startsWith(prefix)).map((prefix) => ({ name, prefix })),
  )
  return matches.sort((a, b) => b.prefix.length - a.prefix.length)[0]?.name ?? OTHER
}
