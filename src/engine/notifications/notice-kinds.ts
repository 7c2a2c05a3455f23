/** Kinds of notifications of the engine's own; models name others in the Kind of a Notify. */
import { type Message, say } from '../../kernel/messages.ts'

const KINDS = {
  /** Messages that users send each other, unless they name another kind. */
  Message: say`Messages`,
  /** Comments that mention the user. */
  Mention: say`Mentions`,
  /** Comments on records that the user follows. */
  Followed: say`Followed records`,
  /** Generated files. */
  Export: say`Exports`,
  Import: say`Imports`,
  Report: say`Reports`,
  /** Tasks of workflows. */
  Task: say`Tasks`,
  /** Webhooks that were turned off. */
  Webhook: say`Webhooks`,
  /** Wizard runs that are about to expire. */
  Wizard: say`Wizards`,
} satisfies Readonly<Record<string, Message>>

export type NoticeKind = keyof typeof KINDS

/** Labels of the kinds; the only place that lists them. */
export const NOTICE_KINDS: Readonly<Record<NoticeKind, Message>> = KINDS
