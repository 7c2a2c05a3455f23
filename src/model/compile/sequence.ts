/** Sequences: their format, and the columns that draw from them. */
import { listChildren, placeOf, readCount, readFlag, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { describePlace, suggest } from './fault-list.ts'
import type { Entity, Sequence } from '../compiled/entity.ts'
import type { Element } from '../parse/element.ts'
import { NO_PERIOD, SEQUENCE_PERIODS, type SequencePeriod } from '../sequence-periods.ts'

const TOKEN = /\{([^{}]*)\}/g
const KNOWN = /^(yyyy|yy|MM|dd|#{1,18}|Company|Field:[A-Za-z][A-Za-z0-9_]*)$/

/** Most tokens: each is a term of the statement that looks for the highest number. */
const TOKENS_MAX = 30

/** The sequences of an entity, known by name in the whole model. */
export function compileSequences(c: Compilation, element: Element, entity: Entity): Sequence[] {
  const sequences = listChildren(element, 'Sequence').map((child) => {
    const sequence: Sequence = {
      name: readText(child, 'Name') ?? '',
      format: readText(child, 'Format') ?? '',
      reset: (readText(child, 'Reset') ?? NO_PERIOD) as SequencePeriod,
      perCompany: readFlag(child, 'PerCompany') ?? false,
      start: readCount(child, 'Start') ?? 1,
      was: readText(child, 'Was'),
    }
    checkFormat(c, child, sequence, entity)
    const other = c.sequences.get(sequence.name)
    if (other) {
      const where = `${other.entity.name} (${describePlace(other.entity.place)})`
      const message = `Sequence ${sequence.name} is also declared in ${where}`
      c.faults.add(placeOf(child, 'Name'), message)
    } else c.sequences.set(sequence.name, { sequence, entity })
    return sequence
  })
  c.whenGated(() => checkDraws(c, element))
  c.whenGated(() => checkFormer(c, element))
  return sequences
}

function checkFormat(c: Compilation, element: Element, sequence: Sequence, entity: Entity): void {
  const refuse = (message: string) => c.faults.add(placeOf(element, 'Format'), `Format: ${message}`)
  const tokens = [...sequence.format.matchAll(TOKEN)].map((match) => match[1] ?? '')
  for (const token of tokens) {
    if (!KNOWN.test(token))
      refuse(`{${token}} must be one of: {yyyy} {yy} {MM} {dd} {#} {Company} {Field:Name}`)
    const field = token.startsWith('Field:') ? token.slice('Field:'.length) : undefined
    if (field === undefined || entity.columnByName.has(field.toLowerCase())) continue
    const names = entity.columns.map((column) => column.name)
    refuse(`${entity.name} has no column ${field}${suggest(field, names)}`)
  }
  if (tokens.length > TOKENS_MAX) refuse(`it has more than ${TOKENS_MAX} parts in braces`)
  if (/[{}]/.test(sequence.format.replace(TOKEN, ''))) refuse('a brace has no counterpart')
  const counters = tokens.filter((token) => token.startsWith('#')).length
  if (counters !== 1) refuse('it needs its number exactly once, as in {#####}')
  for (const forms of SEQUENCE_PERIODS[sequence.reset].parts) {
    if (forms.some((form) => tokens.includes(form))) continue
    c.faults.warn(
      placeOf(element, 'Format'),
      `Reset="${sequence.reset}" without {${forms[0]}} in the Format gives the same number twice`,
    )
  }
}

/** A column may draw from any sequence of the model. */
function checkDraws(c: Compilation, element: Element): void {
  for (const child of listChildren(element, 'Column')) {
    const name = readText(child, 'Sequence')
    if (name === undefined || c.sequences.has(name) || c.faulty.hasEntity) continue
    const message = `There is no Sequence ${name}${suggest(name, c.sequences.keys())}`
    c.faults.add(placeOf(child, 'Sequence'), message)
  }
}

/** Checks that no other sequence uses a former name; but two sequences may swap theirs. */
function checkFormer(c: Compilation, element: Element): void {
  for (const child of listChildren(element, 'Sequence')) {
    const was = readText(child, 'Was')
    if (was === undefined) continue
    const refuse = (message: string) => c.faults.add(placeOf(child, 'Was'), message)
    const own = c.sequences.get(was)?.sequence
    if (own && (own.name === readText(child, 'Name') || own.was === undefined))
      refuse(`Was="${was}" names a Sequence that still exists`)
    const heirs = [...c.sequences.values()].filter(({ sequence }) => sequence.was === was)
    const other = heirs.find(({ sequence }) => sequence.name !== readText(child, 'Name'))
    if (other) refuse(`Was: Sequence ${other.sequence.name} was ${was}, too`)
  }
}
