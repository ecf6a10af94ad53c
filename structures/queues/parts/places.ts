import type { Region } from "../../shared/layout.ts";
import type { Message } from "../queues.contract.ts";

/** Words of a message to `at` and from there. Loops, as messages have a few words. Plain: a queue orders them. */
export function copyIn(memory: Region, at: number, message: Message, words: number): void {
  for (let word = 0; word < words; word++) memory[at + word] = message[word]!;
}

export function copyOut(memory: Region, at: number, into: Message, words: number): void {
  for (let word = 0; word < words; word++) into[word] = memory[at + word]!;
}
