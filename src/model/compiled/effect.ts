/** Effects of an action, of an event or of the end of a wizard. */
import type { AuthoredCondition, AuthoredSql } from './authored-sql.ts'
import type { FieldFeatures } from './field-features.ts'
import type { LabelSql } from './label-sql.ts'
import type { ModelText } from '../model-text.ts'
import type { Place } from '../parse/element.ts'

/** The parts of each kind of effect. */
interface EffectParts {
  sql: {
    sql: AuthoredSql
    rows: number | undefined
    message: ModelText | undefined
    into: string | undefined
  }
  dispatch: {
    type: string
    target: string | undefined
    level: string | undefined
    message: ModelText | undefined
    labels: readonly TextLabel[]
  }
  notify: {
    recipients: Recipients
    title: ModelText
    body: ModelText | undefined
    level: string
    /** Topic by which users choose their channels; undefined: the name of the effect's owner. */
    topic: string | undefined
    url: string | undefined
    labels: readonly TextLabel[]
  }
  mail: {
    recipients: Recipients
    to: string | undefined
    /** Language at `to`: a tag, or a `{Name}` that gives one; undefined: the company's. */
    language: string | undefined
    subject: ModelText
    body: ModelText | undefined
    report: string | undefined
    with: readonly Argument[]
    labels: readonly TextLabel[]
  }
  job: { name: string; with: readonly Argument[] }
  /** Tells webhooks that registered for the event. */
  webhook: { event: string }
  /** A workflow's change of the instance of the record; no author writes it. */
  workflow: { workflow: string; does: 'start' | 'end' }
}

export type EffectKind = keyof EffectParts

/** An effect of an action, event or finish, in document order. */
export type Effect<K extends EffectKind = EffectKind> = {
  [P in K]: { kind: P } & EffectParts[P]
}[K]

/** All that the language asks of a kind; it is compiled and run by a record of its own each. */
interface EffectFacets {
  /** The element that authors write; undefined for none. */
  element: string | undefined
  /** True when the record may be another one after it. */
  writesRecord: boolean
}

export const EFFECT_KINDS: Readonly<Record<EffectKind, EffectFacets>> = {
  sql: { element: 'Sql', writesRecord: true },
  dispatch: { element: 'Dispatch', writesRecord: false },
  notify: { element: 'Notify', writesRecord: false },
  mail: { element: 'Mail', writesRecord: false },
  job: { element: 'Job', writesRecord: false },
  webhook: { element: 'Webhook', writesRecord: false },
  workflow: { element: undefined, writesRecord: false },
}

/** The label behind `{Column__Label}` in the texts of an effect. */
export interface TextLabel {
  /** Name in lower case. */
  name: string
  /** The column or parameter whose value it is called by. */
  of: FieldFeatures
  /** Over a row that has the value under the name of `of`; undefined for options alone. */
  labelSql: LabelSql | undefined
}

/** Recipients of a Notify or Mail; texts hold `{Name}`s. */
export interface Recipients {
  role: string | undefined
  user: string | undefined
  /** Query of the recipients; its first column holds ids of users. */
  sql: AuthoredSql | undefined
}

/** An argument of a `With`: a name with the column or the literal that gives its value. */
export interface Argument {
  name: string
  column: string | undefined
  literal: string | undefined
}

export interface Event {
  event: string
  when: AuthoredCondition | undefined
  /** Columns of which one must have changed; undefined: it is raised whatever has. */
  changed?: readonly string[] | undefined
  effects: readonly Effect[]
  place: Place
}
