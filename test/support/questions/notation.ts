/**
 * Questions with what answers them, a line each: `question => Orders where Total gt 5 & Status in
 * new,approved by Region get count, sum Total having count gt 3 sort sum_Total desc top 5`;
 * `Shipped gt @Due` compares two fields; `show` names the fields of rows; `count if Status eq new
 * as part` counts some of them. Behind `//` stands what answers as well; `refused` is the right
 * answer to what has none; `about` what is asked of the application itself. A question behind `+`
 * follows the one above it. A line of three words names application, user and language of the
 * questions below.
 */
import type { Row } from '../objects.ts'

/** The answer to a question. */
export type Expected =
  { kind: 'request'; request: Row } | { kind: 'refused' } | { kind: 'about'; about: string }

/** A question of a file. */
export interface AskedQuestion {
  application: string
  as: string
  language: string
  question: string
  /** The questions that it follows, the oldest first. */
  before: string[]
  expected: Expected[]
}

/** The questions of a file, in its order. */
export function readQuestions(text: string): AskedQuestion[] {
  const questions: AskedQuestion[] = []
  let [application = '', as = '', language = ''] = ['', '', '']
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [typed = '', answer] = line.split(' => ')
    if (answer === undefined) {
      ;[application = '', as = '', language = ''] = typed.split(' ')
      continue
    }
    const isFollowing = typed.startsWith('+ ')
    const last = questions.at(-1)
    const question = isFollowing ? typed.slice(2) : typed
    const before = isFollowing && last ? [...last.before, last.question] : []
    const expected = answer.split(' // ').map(readExpected)
    questions.push({ application, as, language, question, before, expected })
  }
  return questions
}

function readExpected(text: string): Expected {
  if (text === 'refused') return { kind: 'refused' }
  const [, about] = /^about (\w+)$/.exec(text) ?? []
  return about === undefined
    ? { kind: 'request', request: readRequest(text) }
    : { kind: 'about', about }
}

const WORDS = ['where', 'with', 'without', 'preset', 'by', 'get', 'having', 'sort', 'top', 'show']

function readRequest(text: string): Row {
  const [ObjectName, ...words] = text.split(' ')
  const request: Row = { ObjectName }
  for (let at = 0; at < words.length;) {
    const word = words[at] ?? ''
    let end = at + 1
    while (end < words.length && !WORDS.includes(words[end] ?? '')) end++
    Object.assign(request, readClause(word, words.slice(at + 1, end).join(' ')))
    at = end
  }
  return request
}

/** `Orders CustomerId Status eq new & Total gt 5`; one word behind both is a preset. */
function readRelated(text: string): Row {
  const [ObjectName, Field, ...rest] = text.split(' ')
  const conditions = rest.join(' ')
  if (conditions === '') return { ObjectName, Field }
  if (rest.length === 1) return { ObjectName, Field, Preset: conditions }
  return { ObjectName, Field, Filters: conditions.split(' & ').map(readFilter) }
}

function readClause(word: string, text: string): Row {
  if (word === 'preset') return { Preset: text }
  if (word === 'with') return { With: [readRelated(text)] }
  if (word === 'without') return { Without: [readRelated(text)] }
  if (word === 'top') return { Limit: Number(text) }
  if (word === 'by') return { GroupBy: text.split(',') }
  if (word === 'having') return { Having: [readFilter(text)] }
  if (word === 'show') return { Fields: text.split(',') }
  if (word === 'where') return { Filters: text.split(' & ').map(readFilter) }
  if (word === 'sort') {
    const [Field, Direction] = text.split(' ')
    return { Sort: [{ Field, Direction }] }
  }
  return {
    Aggregates: text.split(', ').map(readAggregate),
  }
}

const AGGREGATE = /^(\w+)(?: (?!if |as |per )(\S+))?(?: if (.+?))?(?: per (\S+))?(?: as (\w+))?$/

function readAggregate(text: string): Row {
  const [, Function, Field, given, Per, As] = AGGREGATE.exec(text) ?? []
  return { Function, Field, Filters: given?.split(' & ').map(readFilter), Per, As }
}

function readFilter(text: string): Row {
  const [, Field, Operator, given] = /^(\S+) (\w+)(?: (.*))?$/.exec(text) ?? []
  if (given === undefined) return { Field, Operator }
  if (given.startsWith('@')) return { Field, Operator, ValueField: given.slice(1) }
  return {
    Field,
    Operator,
    Value: Operator === 'in' ? given.split(',').map(readValue) : readValue(given),
  }
}

function readValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}
