// What the page and the frame say to each other.

export interface FrameRequest {
  url: string;
  key: string;
  body: object;
}

export type FrameAnswer = { text: string } | { error: string };
