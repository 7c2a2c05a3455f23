/**
 * Decimal places of a query's output columns that come from no table, by its text. What Decimals
 * are added to, subtracted from and multiplied by has a known number of them, which SQLite's binary
 * floats do not keep: -360.86 reads -360.860000000001. Where the places are known, the engine
 * rounds to them, and shows the number as it is. Nothing is known of a quotient or an average.
 */
import {
  isMark,
  isName,
  isWord,
  isWriteVerb,
  outline,
  type Outline,
} from '../../store/gate/outline.ts'
import { foldName, type Token, tokenize } from '../../store/gate/tokenize.ts'
import {
  ARITHMETIC,
  COMPARE_MARKS,
  COMPARES,
  listExpressions,
  listItems,
  next,
  OF_ARGUMENTS,
  splitAt,
  type TextSpan,
} from './output-types.ts'

/** Decimal places of a table's column by its lower-case name; 0 for whole numbers. */
export type FindColumnScale = (key: string) => number | undefined

/** A number of more places keeps none in a double. */
const SCALE_MAX = 9

/** Scale of an expression that is not a number: it counts for nothing. */
const NOTHING = -1

type Scale = number | undefined

interface Known {
  shape: Outline
  columnOf: FindColumnScale
  /** Expressions by the lower-case name that a SELECT gives them; undefined for what has none. */
  named: ReadonlyMap<string, readonly (TextSpan | undefined)[]>
  /** Scales of named expressions; undefined while one is being found. */
  found: Map<TextSpan, Scale>
}

/** Functions whose result has the places of what they are given. */
const SAME = new Set(['sum', 'total', 'abs', 'lag', 'lead', 'first_value', 'last_value', 'likely'])
const WHOLE = new Set(['count', 'length', 'row_number', 'rank', 'dense_rank', 'ntile', 'sign'])
/** Names of the columns of table-valued functions, which belong to no table. */
const MODULE_COLUMNS = new Set(['key', 'value', 'atom', 'type', 'id', 'parent', 'fullkey', 'path'])

/**
 * The decimal places of output columns, by lower-case name; none where a part of the text leaves
 * them open.
 */
export function findOutputScales(
  text: string,
  columnOf: FindColumnScale,
): ReadonlyMap<string, number> {
  const shape = outline(tokenize(text))
  const { tokens, ctes } = shape
  if (ctes.some(({ at }) => isMark(tokens[at + 1], '('))) return new Map()
  const hasModule = tokens.some(({ key }) => key === 'json_each' || key === 'json_tree')
  const known: Known = {
    shape,
    columnOf: (key) => (hasModule && MODULE_COLUMNS.has(key) ? undefined : columnOf(key)),
    named: listNamed(shape),
    found: new Map(),
  }
  return new Map(
    listOutputs(shape, text).flatMap(({ name, spans }) => {
      const scale = greatest(spans.map((span) => span && scaleOf(known, span)))
      return scale === undefined || scale < 0 ? [] : [[name, scale] as const]
    }),
  )
}

/** The columns of the result; an expression without a name is called by its text. */
function listOutputs(shape: Outline, text: string): (UnitedColumn & { name: string })[] {
  const { tokens, verb, verbAt } = shape
  const isReturning = (token: Token): boolean => isWord(token, 'returning')
  const at = isWriteVerb(verb) ? tokens.findLastIndex(isReturning) : verbAt
  if (at < 0) return []
  return listColumns(shape, at).map(({ name, spans, from, to }) => ({
    spans,
    from,
    to,
    name: name ?? foldName(text.slice(tokens[from]?.start, tokens[to - 1]?.end)),
  }))
}

/** A column of a SELECT: its expression there, and in each that is united with it. */
interface UnitedColumn extends TextSpan {
  name: string | undefined
  spans: (TextSpan | undefined)[]
}

function listColumns(shape: Outline, selectAt: number): UnitedColumn[] {
  const { tokens } = shape
  const others: TextSpan[][] = []
  for (let at = selectAt + 1; at < tokens.length && !isMark(tokens[at], ')'); at = next(shape, at))
    if (isWord(tokens[at], 'select')) others.push(listExpressions(shape, at))
    else if (isWord(tokens[at], 'values')) others.push([])
  const own = listExpressions(shape, selectAt)
  // With a `*` among them, columns cannot be matched by position.
  const isPlain = [own, ...others].every((list) =>
    list.every(({ to }) => !isMark(tokens[to - 1], '*')),
  )
  const named = new Map(listItems(shape, selectAt).map((item) => [item.from, item]))
  return own.map((whole, at) => {
    const item = named.get(whole.from)
    const united = others.map((list) => {
      const other = isPlain ? list[at] : undefined
      return other && withoutName(shape, other)
    })
    return { ...whole, name: item?.name, spans: [item ?? whole, ...united] }
  })
}

/** Returns an item of a SELECT without its alias. */
function withoutName({ tokens }: Outline, { from, to }: TextSpan): TextSpan {
  const isNamed = isWord(tokens[to - 2], 'as')
  return { from, to: isNamed ? to - 2 : to }
}

function listNamed(shape: Outline): Known['named'] {
  const named = new Map<string, (TextSpan | undefined)[]>()
  for (const [at, token] of shape.tokens.entries())
    if (isWord(token, 'select'))
      for (const { name, spans } of listColumns(shape, at))
        if (name !== undefined)
          named.getOrInsertComputed(name, (): (TextSpan | undefined)[] => []).push(...spans)
  return named
}

/** The most places of several values of one kind; unknown where one is. */
function greatest(scales: readonly Scale[]): Scale {
  let most = NOTHING
  for (const scale of scales) {
    if (scale === undefined) return undefined
    most = Math.max(most, scale)
  }
  return most
}

function scaleOf(known: Known, span: TextSpan): Scale {
  const { shape } = known
  const { tokens, partner } = shape
  const parts = (isBreak: Parameters<typeof splitAt>[2]): TextSpan[] =>
    splitAt(shape, span, isBreak)
  const isCompared = parts(
    ({ kind, key, value }) =>
      (kind === 'word' && COMPARES.has(key)) || (kind === 'mark' && COMPARE_MARKS.includes(value)),
  )
  if (isCompared.length > 1) return 0
  const terms = parts((token) => isMark(token, '+') || isMark(token, '-'))
  if (terms.length > 1) {
    const given = terms.filter(({ from, to }) => to > from)
    return limited(greatest(given.map((term) => scaleOf(known, term))))
  }
  const factors = parts(({ kind, value }) => kind === 'mark' && ARITHMETIC.includes(value))
  const isStar = span.to - span.from === 1 && isMark(tokens[span.from], '*')
  if (factors.length > 1 && !isStar) return scaleOfFactors(known, factors)
  if (parts((token) => isMark(token, '||')).length > 1) return NOTHING
  if (isMark(tokens[span.from], '(') && partner.get(span.from) === span.to - 1)
    return scaleInBrackets(known, { from: span.from + 1, to: span.to - 1 })
  if (isWord(tokens[span.from], 'case')) return scaleOfCase(known, span)
  if (isMark(tokens[span.from + 1], '(') && partner.get(span.from + 1) === span.to - 1)
    return scaleOfCall(known, span)
  const [call] = parts((token) => isWord(token, 'over', 'filter'))
  return call && call.to < span.to ? scaleOf(known, call) : scaleOfName(known, span)
}

const limited = (scale: Scale): Scale =>
  scale === undefined || scale > SCALE_MAX ? undefined : scale

/** The scale of a product is that of all its factors; that of a quotient is unknown. */
function scaleOfFactors(known: Known, factors: readonly TextSpan[]): Scale {
  const { tokens } = known.shape
  let all = 0
  for (const factor of factors) {
    const isTimes = factor === factors[0] || isMark(tokens[factor.from - 1], '*')
    const scale = isTimes ? scaleOf(known, factor) : undefined
    if (scale === undefined) return undefined
    all += Math.max(scale, 0)
  }
  return limited(all)
}

function scaleInBrackets(known: Known, span: TextSpan): Scale {
  const { shape } = known
  if (!isWord(shape.tokens[span.from], 'select')) return scaleOf(known, span)
  const [only] = listColumns(shape, span.from)
  return only && greatest(only.spans.map((each) => each && scaleOf(known, each)))
}

function scaleOfCase(known: Known, { from, to }: TextSpan): Scale {
  const { shape } = known
  const inner = { from: from + 1, to: to - 1 }
  const branches = splitAt(shape, inner, (token) => isWord(token, 'when', 'then', 'else'))
  const results = branches.filter(({ from: at }) => isWord(shape.tokens[at - 1], 'then', 'else'))
  return greatest(results.map((result) => scaleOf(known, result)))
}

function scaleOfCall(known: Known, { from, to }: TextSpan): Scale {
  const { shape } = known
  const name = shape.tokens[from]?.key ?? ''
  const inner = { from: from + 2, to: to - 1 }
  if (WHOLE.has(name)) return 0
  if (name === 'cast') {
    const [value] = splitAt(shape, inner, (token) => isWord(token, 'as'))
    const isInteger = isWord(shape.tokens[inner.to - 1], 'integer', 'int')
    return isInteger ? 0 : value && scaleOf(known, value)
  }
  const given = splitAt(shape, inner, (token) => isMark(token, ','))
  if (SAME.has(name)) return given[0] && scaleOf(known, given[0])
  if (!OF_ARGUMENTS.has(name)) return undefined
  const shown = name === 'iif' ? given.slice(1) : given
  return greatest(shown.map((each) => scaleOf(known, each)))
}

/** A literal, or a column: of inner SELECTs, and of a table that may be meant as well. */
function scaleOfName(known: Known, { from, to }: TextSpan): Scale {
  const { shape, columnOf } = known
  const token = shape.tokens[to - 1]
  if (!token || (to - from > 1 && !isMark(shape.tokens[to - 2], '.'))) return undefined
  if (token.kind === 'number') {
    const [, places = ''] = /^\d*(?:\.(\d*))?$/.exec(token.value) ?? [undefined, undefined]
    return /[ex]/i.test(token.value) ? undefined : places.length
  }
  if (token.kind === 'text' || isWord(token, 'null')) return NOTHING
  if (!isName(token)) return undefined
  const named = (known.named.get(token.key) ?? []).filter(
    (span) => span === undefined || span.from > from || from >= span.to,
  )
  const column = columnOf(token.key)
  if (named.length === 0) return column
  const scales = named.map((span) => span && scaleOfNamed(known, span))
  return greatest(column === undefined ? scales : [...scales, column])
}

function scaleOfNamed(known: Known, span: TextSpan): Scale {
  const { found } = known
  if (!found.has(span)) {
    found.set(span, NOTHING)
    found.set(span, scaleOf(known, span))
  }
  return found.get(span)
}
