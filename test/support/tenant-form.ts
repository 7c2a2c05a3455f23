/** Multipart forms as the text of a request of the sweep, which has to be the same every time. */
import type { Call } from './tenant-world.ts'

const part = (head: string, value: string): string =>
  `--cut\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`

/** Sends a form whose last field is `file`, of that name and text. */
export function sendForm(
  path: string,
  fields: Readonly<Record<string, string>>,
  [fileName, text]: readonly [fileName: string, text: string],
): Call {
  const parts = Object.entries(fields).map(([name, value]) => part(`name="${name}"`, value))
  const file = part(`name="file"; filename="${fileName}"`, text)
  return {
    path,
    body: `${parts.join('')}${file}--cut--\r\n`,
    headers: { 'Content-Type': 'multipart/form-data; boundary=cut' },
  }
}
