/** Where in an extension an error arose: its file and line, as the author knows them. */
import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
import type { ExtensionFault } from './parts.ts'

const MESSAGE_CHARACTERS_MAX = 2000

/** The fault that an error is, of whatever kind; `file` is to blame where the error names none. */
export function placeFault(error: unknown, folder: string, file: string): ExtensionFault {
  const message = messageOf(error)
  const place = placeOfParser(error) ??
    placeOfStack(error, folder) ??
    placeOfName(message, file) ?? { file }
  return {
    File: nameFile(place.file, folder),
    Line: place.line ?? null,
    Message: message.replaceAll(folder + sep, '').slice(0, MESSAGE_CHARACTERS_MAX),
  }
}

/** The name of a file within the folder, or '' for one outside of it. */
export function nameFile(file: string, folder: string): string {
  const name = relative(folder, file)
  return name.startsWith('..') || isAbsolute(name) ? '' : name.split(sep).join('/')
}

interface Place {
  file: string
  line?: number | undefined
}

const messageOf = (error: unknown): string => {
  const first = firstOf(error)
  return first instanceof Error || hasMessage(first) ? String(first.message) : String(first)
}

const hasMessage = (value: unknown): value is { message: unknown } =>
  typeof value === 'object' && value !== null && 'message' in value

/** Several errors of one file come as one. */
const firstOf = (error: unknown): unknown =>
  error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error

/** Bun's own errors of parsing tell their place. */
function placeOfParser(error: unknown): Place | undefined {
  const first = firstOf(error)
  if (typeof first !== 'object' || first === null) return undefined
  const position: unknown = Reflect.get(first, 'position')
  if (typeof position !== 'object' || position === null) return undefined
  const file: unknown = Reflect.get(position, 'file')
  const line: unknown = Reflect.get(position, 'line')
  return typeof file === 'string' && typeof line === 'number' ? { file, line } : undefined
}

/** The innermost frame within the folder. */
function placeOfStack(error: unknown, folder: string): Place | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  for (const [, file, line] of stack.matchAll(/^\s+at (?:.*\()?(.+?):(\d+)(?::\d+)?\)?$/gm)) {
    if (file?.startsWith(folder + sep)) return { file, line: Number(line) }
  }
  return undefined
}

/** The first line that has what the message quotes: a package or a name that is not there. */
function placeOfName(message: string, file: string): Place | undefined {
  const names = [...message.matchAll(/'([^']+)'/g)].map(([, name]) => name ?? '')
  const name = names.find((each) => !each.startsWith('/'))
  if (name === undefined || !existsSync(file)) return undefined
  const at = readFileSync(file, 'utf8')
    .split('\n')
    .findIndex((text) => text.includes(name))
  return at < 0 ? undefined : { file, line: at + 1 }
}
