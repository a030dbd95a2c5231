/** Requests about updates of Countersign itself. */
import type { Updates } from '../core/updates/updates.ts'
import type { HandlersOf } from './registration.ts'

interface UpdateParts {
  updates: Pick<Updates, 'view' | 'check' | 'checkMayInstall'>
  /** Restarts the application with the ready update. */
  install: () => void
}

export function updateHandlers({ updates, install }: UpdateParts): HandlersOf<'updates'> {
  return {
    'updates.get': async () => updates.view(),
    'updates.check': async () => {
      await updates.check()
      return updates.view()
    },
    'updates.install': async () => {
      updates.checkMayInstall()
      install()
    }
  }
}
