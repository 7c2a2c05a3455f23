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
    name: 'Objects',
    description:
      'Grids, forms and mutations. An object is addressed by its view name or slug. Structure ' +
      '(metadata) is fetched once; data is fetched apart from it and gated by permissions.',
    prefixes: ['/api/v1/svc/object'],
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
