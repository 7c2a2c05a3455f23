/** Translations: what they name must be there. */
import { listChildren, readText } from './attributes.ts'
import type { Compilation } from './compilation.ts'

/** A warning for each text of something that the model does not have. */
export function checkTranslations(c: Compilation): void {
  const names = new Set(c.scripts.map((script) => script.name))
  for (const name of [...c.capabilities.keys(), ...c.roleNames]) names.add(name)
  for (const script of c.scriptsOf('Texts')) {
    for (const child of listChildren(script.element, 'Text')) {
      const of = readText(child, 'Of') ?? ''
      if (names.has(of.split('.')[0] ?? '')) continue
      c.faults.warn(child.place, `Of: the model has nothing called ${of.split('.')[0]}`)
    }
  }
}
