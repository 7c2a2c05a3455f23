/** The words of a mail, in plain text and in HTML that says the same. */
import { type Message, renderMessage } from '../../kernel/messages.ts'
import type { Mail } from './mail.ts'

/** A sentence, or an address to open. */
export type Paragraph = Message | { link: string }

export interface EmailTemplate {
  subject: Message
  paragraphs: readonly Paragraph[]
}

/** A letter of the engine's own in a language. */
export function renderEmail(template: EmailTemplate, language: string): Omit<Mail, 'to'> {
  const parts = template.paragraphs.map((paragraph) =>
    'link' in paragraph ? paragraph : { text: renderMessage(paragraph, language) },
  )
  return {
    subject: toLine(renderMessage(template.subject, language)),
    text: parts.map((part) => ('link' in part ? part.link : part.text)).join('\n\n') + '\n',
    html: toPage(parts.map((part) => ('link' in part ? toAnchor(part.link) : escape(part.text)))),
  }
}

/** A mail of plain text as its writer typed it: blank lines part paragraphs. */
export function writeText(subject: string, body: string): Omit<Mail, 'to'> {
  const text = body.replace(/\r\n?/g, '\n')
  const paragraphs = text.split(/\n{2,}/).map((part) => escape(part).replaceAll('\n', '<br>'))
  return { subject: toLine(subject), text: `${text}\n`, html: toPage(paragraphs) }
}

/** A subject is one line, whatever was filled into it. */
const toLine = (text: string): string => text.replace(/\p{C}+/gu, ' ').trim()

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escape = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign)

const toAnchor = (link: string): string => `<a href="${escape(link)}">${escape(link)}</a>`

const toPage = (paragraphs: readonly string[]): string =>
  ['<!doctype html>', '<html><body>', ...paragraphs.map((each) => `<p>${each}</p>`)].join('\n') +
  '\n</body></html>\n'
