/** The sheet of shortcuts: all that hold where it was opened, by groups. */
import { useMemo } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import {
  hasSingleKeys,
  KEY_GROUPS,
  setSingleKeys,
  type Shortcut,
  shortcuts,
} from '../../state/keys.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { KeyCaps } from './key-caps.tsx'

/** Shortcuts that have keys; of those with the same keys the one that counts. */
function listShown(): Shortcut[] {
  const all = shortcuts.peek().filter(({ keys }) => keys.length > 0)
  const isLast = ({ keys, run }: Shortcut, at: number): boolean =>
    run === undefined ||
    !all.slice(at + 1).some((later) => later.run && `${later.keys}` === `${keys}`)
  return all.filter(isLast)
}

/** Draws the sheet. */
export function KeySheet({ onClose }: { onClose(): void }) {
  const shown = useMemo(listShown, [])
  const groups = KEY_GROUPS.map((where) => ({
    where,
    list: shown.filter((each) => each.where === where),
  })).filter(({ list }) => list.length > 0)
  return (
    <Dialog label={say('keys')} isLarge onClose={onClose}>
      <div class="dialog-form">
        <h2>{say('keys')}</h2>
        <div class="key-groups">
          {groups.map(({ where, list }) => (
            <section key={where} aria-labelledby={`keys-${where}`}>
              <h3 id={`keys-${where}`}>{say(`keys_${where}`)}</h3>
              <dl class="key-list">
                {list.map((each) => (
                  <div key={each.label()}>
                    <dt>{each.label()}</dt>
                    <dd>
                      {each.keys.map((keys, at) => (
                        <span key={keys}>
                          {at > 0 && <span class="quiet"> {say('or')} </span>}
                          <KeyCaps keys={keys} />
                        </span>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
        <label class="check">
          <input
            type="checkbox"
            checked={hasSingleKeys.value}
            onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)}
          />
          {say('singleKeys')}
        </label>
        <div class="buttons">
          <Button onClick={onClose}>{say('close')}</Button>
        </div>
      </div>
    </Dialog>
  )
}
