/** Whether the system lets this application use camera and microphone; macOS asks the person at the machine, once. */
import { systemPreferences } from 'electron'
import type { MediaDevice } from '../core/policy/permissions.ts'

export async function systemAllows(devices: readonly MediaDevice[]): Promise<boolean> {
  if (process.platform !== 'darwin') return true
  for (const device of devices) {
    if (!(await systemPreferences.askForMediaAccess(device))) return false
  }
  return true
}
