/** The tables that a statement names where SQL has tables: behind FROM, JOIN, UPDATE and INTO. */

/** Comments and texts, which name nothing; names in all their quotes; what lists are made of. */
const TOKEN = new RegExp(
  [
    /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'/,
    /"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|[\w@$\u0080-\uffff]+|[(),.]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

const BEFORE_TABLE: ReadonlySet<string> = new Set(['from', 'join', 'update', 'into'])

/** Words that end a list of tables. */
const BEHIND_TABLES: ReadonlySet<string> = new Set([
  ...['select', 'where', 'group', 'having', 'order', 'limit', 'union', 'except', 'intersect'],
  ...['set', 'values', 'returning', 'window'],
])

/** Words of an UPDATE that come before its table. */
const BETWEEN: ReadonlySet<string> = new Set([
  'or',
  'rollback',
  'abort',
  'replace',
  'fail',
  'ignore',
])

/** The names in lower case, some of them common table expressions or schemas. */
export function listTables(sql: string): Set<string> {
  const found = new Set<string>()
  /** For each open bracket whether a list of tables is under way around it. */
  const outer: boolean[] = []
  let isList = false
  let isNext = false
  for (const [token] of sql.matchAll(TOKEN)) {
    if (token.startsWith('--') || token.startsWith('/*')) continue
    const word = token.toLowerCase()
    if (word === '(') {
      outer.push(isList)
      isList = isNext
    } else if (word === ')') {
      isList = outer.pop() ?? false
      isNext = false
    } else if (word === ',') isNext = isList
    else if (BEFORE_TABLE.has(word)) isList = isNext = true
    else if (BEHIND_TABLES.has(word)) isList = isNext = false
    else if (word === '.') isNext = isList && found.has('main')
    else if (isNext && !BETWEEN.has(word)) {
      found.delete('main')
      found.add(unquote(word))
      isNext = false
    }
  }
  return found
}

const unquote = (name: string): string => (/^["`[]/.test(name) ? name.slice(1, -1) : name)
