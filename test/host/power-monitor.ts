// Electron's `powerMonitor`: a test puts the machine to sleep, wakes it, and locks its screen.
import type * as Electron from 'electron'
import { Emulated } from './strict.ts'

export const powerEvents = {
  emits: ['suspend', 'resume', 'lock-screen', 'unlock-screen', 'on-ac', 'on-battery'],
  // The machine is never shut down or slowed here.
  never: ['shutdown', 'thermal-state-change', 'speed-limit-change', 'user-did-become-active', 'user-did-resign-active']
} as const

export type PowerEvent = (typeof powerEvents.emits)[number]

type Offered = Pick<
  Electron.PowerMonitor,
  'isOnBatteryPower' | 'onBatteryPower' | 'getSystemIdleTime' | 'getSystemIdleState'
>

class PowerMonitor extends Emulated implements Offered {
  onBatteryPower = false
  /** @internal seconds, set by a test */
  idleSeconds = 0

  constructor() {
    super('powerMonitor', powerEvents)
  }

  isOnBatteryPower(): boolean {
    return this.onBatteryPower
  }

  getSystemIdleTime(): number {
    return this.idleSeconds
  }

  getSystemIdleState(threshold: number): 'active' | 'idle' {
    return this.idleSeconds >= threshold ? 'idle' : 'active'
  }
}

export const powerMonitor = new PowerMonitor()
