/** Draws documents of reports, with the operator's logo and fonts. */
import { basename } from 'node:path'
import type { Log } from '../../kernel/log.ts'
import type { PrintMessage } from '../pdf/document.ts'
import type { Printer } from '../pdf/draw-document.ts'
import { findBranding } from './branding.ts'
import type { DrawDocument } from './write-report.ts'

/** The parts that documents are drawn with. */
interface DrawingParts {
  printer: Printer
  /** The data folder. */
  folder: string
  log: Log
}

/** Draws a document; the log names what it lacks: characters, bar codes, the logo. */
export const planDrawing =
  ({ printer, folder, log }: DrawingParts): DrawDocument =>
  async (path, { head, messages }, { caller, signal, onPages }) => {
    const branding = await findBranding(folder, caller.companyCode)
    const options = {
      path,
      head: { ...head, ...branding },
      by: String(caller.userId),
      signal,
      onPages,
    }
    const { bytes, sha256, missing, undrawn } = await printer.draw(options, async (drawing) => {
      for await (const message of messages) if (isPart(message)) await drawing.send(message)
    })
    if (missing.length > 0)
      log.warn('no font has these characters', { title: head.title, missing: missing.join('') })
    const kinds = undrawn.filter((part) => part !== 'logo')
    if (kinds.length > 0)
      log.warn('no bar code of these kinds holds its text', {
        title: head.title,
        kinds: kinds.join(' '),
      })
    if (kinds.length < undrawn.length)
      log.warn('the logo is no picture that can be drawn', { logo: basename(branding.logo ?? '') })
    return { size: bytes, sha256 }
  }

/** Beginning and end are sent by the drawing itself. */
const isPart = (message: PrintMessage): message is Exclude<PrintMessage, { do: 'open' | 'end' }> =>
  message.do !== 'open' && message.do !== 'end'
