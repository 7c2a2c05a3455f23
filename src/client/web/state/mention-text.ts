/** Mentions in the plain text of a comment: `@` and the name of a person. */
import type { Schemas } from '../api/wire.ts'

/** A person whom a comment may mention. */
export type Person = Schemas['Person']

/** Most characters of a name that is being typed. */
const QUERY_MAX = 40

/** A name that is being typed: what there is of it, and where its `@` stands. */
export interface MentionQuery {
  at: number
  search: string
}

/** The name before the caret: of `Ask @sa|` it is `sa`; undefined where none is typed. */
export function findMentionQuery(text: string, caret: number): MentionQuery | undefined {
  const before = text.slice(0, caret)
  const at = before.lastIndexOf('@')
  if (at < 0 || /[\p{L}\p{N}]$/u.test(before.slice(0, at))) return undefined
  const search = before.slice(at + 1)
  const isName = !/[\n@]|^\s|\s\s/.test(search) && search.length <= QUERY_MAX
  return isName ? { at, search } : undefined
}

/** The text with the name of a person in place of what was typed of it, and the caret behind it. */
export function insertMention(
  text: string,
  { at, search }: MentionQuery,
  { DisplayName }: Person,
): { text: string; caret: number } {
  const behind = text.slice(at + 1 + search.length)
  const name = `@${DisplayName}${/^\s/.test(behind) ? '' : ' '}`
  return { text: text.slice(0, at) + name + behind, caret: at + name.length }
}

/** The people whose names the text has, each once. */
export function listMentioned(text: string, people: readonly Person[]): Person[] {
  const found = new Set(
    splitMentions(text, people).flatMap(({ person }) => (person ? [person.Id] : [])),
  )
  return people.filter(({ Id }, n) => found.has(Id) && people.findIndex((p) => p.Id === Id) === n)
}

/** A piece of a text; the person where it is the mention of one. */
interface Piece {
  text: string
  person?: Person
}

/** The text in pieces, in which each mention of one of the people is a piece of its own. */
export function splitMentions(text: string, people: readonly Person[]): Piece[] {
  const byLength = people.toSorted((a, b) => b.DisplayName.length - a.DisplayName.length)
  const pieces: Piece[] = []
  let from = 0
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const person = byLength.find((each) => text.startsWith(each.DisplayName, at + 1))
    if (!person) continue
    if (at > from) pieces.push({ text: text.slice(from, at) })
    from = at + 1 + person.DisplayName.length
    pieces.push({ text: text.slice(at, from), person })
    at = from - 1
  }
  if (from < text.length) pieces.push({ text: text.slice(from) })
  return pieces
}
