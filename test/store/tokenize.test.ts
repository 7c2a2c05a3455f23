import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import Database from 'libsql'
import { SqlFault } from '../../src/store/gate/fault.ts'
import { type Token, tokenize } from '../../src/store/gate/tokenize.ts'

const show = ({ kind, value }: Token): string => `${kind} ${value}`

const CUTS: [string, string[]][] = [
  ['SELECT a.b', ['word SELECT', 'word a', 'mark .', 'word b']],
  [`"a""b" [c d] \`e\`\`f\``, ['name a"b', 'name c d', 'name e`f']],
  ["'it''s' ''", ["text it's", 'text ']],
  ["x'ab' X'CD' xa", ["blob x'ab'", "blob X'CD'", 'word xa']],
  [
    '1 1.5 .5 1. 1e5 1.5E-3 0xFf',
    ['1', '1.5', '.5', '1.', '1e5', '1.5E-3', '0xFf'].map((n) => `number ${n}`),
  ],
  ['@Name @a_1', ['parameter Name', 'parameter a_1']],
  [
    'a->>b->c||d<<e>>f<=g>=h<>i==j!=k',
    'a ->> b -> c || d << e >> f <= g >= h <> i == j != k'
      .split(' ')
      .map((part) => `${/\w/.test(part) ? 'word' : 'mark'} ${part}`),
  ],
  ['a -- b\nc /* d -- */ e', ['word a', 'word c', 'word e']],
  ['a/**/b', ['word a', 'word b']],
  ['\'--\' "/*"', ['text --', 'name /*']],
  ['a-- b\rc', ['word a']],
  ['Größe x$1 _y', ['word Größe', 'word x$1', 'word _y']],
]

const FAULTS: [string, number][] = [
  ["a 'b", 2],
  ['a "b', 2],
  ['a [b', 2],
  ['a /* b', 2],
  ['a 1b', 2],
  ['a 1_000', 2],
  ['a @', 2],
  ['a @1', 2],
  ['a @b(c)', 2],
  ['a @b::c', 2],
  ['a ?1', 2],
  ['a :b', 2],
  ['a $b', 2],
  ['a #1', 2],
  ['a ! b', 2],
  ['a ^ b', 2],
  ['a \\ b', 2],
  ['a {b', 2],
  ['a “b”', 2],
  ['a \u000b', 2],
  ['a \0', 2],
]

describe('tokens', () => {
  test.each(CUTS)('%s', (text, tokens) => {
    expect(tokenize(text).map(show)).toEqual(tokens)
  })

  test.each(FAULTS)('refused: %s', (text, offset) => {
    expect(() => tokenize(text)).toThrow(SqlFault)
    try {
      tokenize(text)
    } catch (error) {
      expect(error instanceof SqlFault && error.offset).toBe(offset)
    }
  })

  test('names are folded as SQLite folds them: ASCII letters only', () => {
    expect(tokenize('ÄB "K\u212a"').map(({ key }) => key)).toEqual(['Äb', 'k\u212a'])
  })
})

/** The differential: SQLite must see the same tokens, so blanks between them change nothing. */
describe('the same tokens as SQLite', () => {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE t (a, b, "c d")')
  afterAll(() => db.close())

  const program = (sql: string): string => {
    try {
      return JSON.stringify(db.prepare(`EXPLAIN ${sql}`).raw(true).all())
    } catch (error) {
      return error instanceof Error ? error.message : 'failed'
    }
  }

  const bits = fc.constantFrom(
    ...['a', 'b', '1', '2.5', '.5', '1e', '0x1', "'x'", "''", '"a"', '[a]', '`b`', '"c d"', 't'],
    ...[
      '.',
      ',',
      '(',
      ')',
      '+',
      '-',
      '--',
      '/*',
      '*/',
      '*',
      '/',
      '|',
      '||',
      '>',
      '<',
      '=',
      '!=',
      '~',
    ],
    ...[
      ' ',
      '\n',
      '\r',
      '@a',
      '->',
      '->>',
      'FROM',
      'SELECT',
      'AS',
      'NOT',
      'IN',
      'x',
      "'",
      '"',
      '%',
      '&',
    ],
  )

  test('blanks between tokens change no program', () => {
    fc.assert(
      fc.property(fc.array(bits, { minLength: 1, maxLength: 12 }), (parts) => {
        const text = `SELECT ${parts.join('')} FROM t`
        let tokens: Token[]
        try {
          tokens = tokenize(text)
        } catch {
          return
        }
        const spaced = tokens.map(({ start, end }) => text.slice(start, end)).join(' ')
        const direct = program(text)
        // Blanks change the names of output columns, which the program does not show.
        if (direct.startsWith('[')) expect(program(spaced)).toBe(direct)
        else expect(program(spaced).startsWith('[')).toBe(false)
      }),
      { numRuns: 3000, seed: 20261121 },
    )
  })
})
