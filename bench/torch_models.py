"""Models and functions of PyTorch that bench/torch_times.py and test/torch run, with
random weights: each a function that returns a module and the arguments of one call."""

import torch


class Call(torch.nn.Module):
    """A function as a module, so that torch.export takes it."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def rows(elements):
    """Ops along one row of so many elements, and those at indices."""
    x = torch.randn(elements)
    index = torch.randint(0, elements, (elements,))
    order = torch.randperm(elements)
    base = torch.zeros(elements)
    return {
        "sort": (Call(lambda t: torch.sort(t, stable=True)), (x,)),
        "sort i64": (Call(lambda t: torch.sort(t, stable=True)), (index,)),
        "topk 1000": (Call(lambda t: torch.topk(t, min(1000, elements))), (x,)),
        "cummax": (Call(lambda t: torch.cummax(t, 0)), (x,)),
        "scatter": (Call(lambda t, i, s: t.scatter(0, i, s)), (base, order, x)),
        "scatter_add": (Call(lambda t, i, s: t.scatter_add(0, i, s)),
                        (base, index, x)),
        "index_put": (Call(lambda t, i, s: torch.index_put(t, (i,), s)),
                      (base, order, x)),
    }


def vision(name, size=224, **more):
    """A model of torchvision and one image."""
    def make():
        import torchvision
        model = torchvision.models.get_model(name, weights=None, **more)
        return model, (torch.randn(1, 3, size, size),)
    return make


class First(torch.nn.Module):
    """The first result of a model of transformers, without a cache."""

    def __init__(self, model, *names, **more):
        super().__init__()
        self.model, self.names, self.more = model, names, more

    def forward(self, *arguments):
        return self.model(**dict(zip(self.names, arguments)), **self.more)[0]


def text(model_class, config_class, width=768, layers=12, heads=12, tokens=128,
         use_cache=False, **more):
    """A language model of the width of its smallest published one."""
    def make():
        import transformers
        config = getattr(transformers, config_class)(**more)
        for name, value in (("hidden_size", width), ("num_hidden_layers", layers),
                            ("num_attention_heads", heads)):
            setattr(config, name, value)
        model = getattr(transformers, model_class)(config)
        ids = torch.randint(0, min(1000, config.vocab_size), (1, tokens))
        keywords = {} if use_cache is None else {"use_cache": use_cache}
        return First(model, "input_ids", **keywords), (ids,)
    return make


def t5(tokens=128, target=32, **more):
    """T5-small, unless `more` says otherwise."""
    def make():
        import transformers
        config = transformers.T5Config(**more)
        model = transformers.T5ForConditionalGeneration(config)
        return (First(model, "input_ids", "decoder_input_ids", use_cache=False),
                (torch.randint(0, config.vocab_size, (1, tokens)),
                 torch.randint(0, config.vocab_size, (1, target))))
    return make


def whisper(frames=3000, target=32, **more):
    """Whisper-tiny, unless `more` says otherwise."""
    def make():
        import transformers
        config = transformers.WhisperConfig(max_source_positions=frames // 2,
                                            **more)
        model = transformers.WhisperForConditionalGeneration(config)
        return (First(model, "input_features", "decoder_input_ids",
                      use_cache=False),
                (torch.randn(1, config.num_mel_bins, frames),
                 torch.randint(0, min(1000, config.vocab_size), (1, target))))
    return make


def small_vision(build, size=32):
    """A model of torchvision's classes, for images so small."""
    def make():
        import torchvision
        return build(torchvision.models), (torch.randn(1, 3, size, size),)
    return make


# Each at the size of its smallest published model; of the styles six layers.
MODELS = {
    "ResNet-50": vision("resnet50"),
    "MobileNetV3": vision("mobilenet_v3_large"),
    "EfficientNet-B0": vision("efficientnet_b0"),
    "ConvNeXt-T": vision("convnext_tiny"),
    "ViT-B": vision("vit_b_16"),
    "Swin-T": vision("swin_t"),
    "BERT-base": text("BertModel", "BertConfig", use_cache=None),
    "GPT-2": text("GPT2LMHeadModel", "GPT2Config"),
    "Llama-style": text("LlamaForCausalLM", "LlamaConfig", layers=6,
                        intermediate_size=2048, num_key_value_heads=4),
    "Qwen-style": text("Qwen2ForCausalLM", "Qwen2Config", layers=6,
                       intermediate_size=2048, num_key_value_heads=4,
                       vocab_size=32000),
    "T5-small": t5(),
    "Whisper-tiny": whisper(),
}


def _efficientnet(models):
    block = models.efficientnet.MBConvConfig
    return models.EfficientNet(
        [block(1, 3, 1, 8, 8, 1), block(6, 5, 2, 8, 16, 2)], dropout=0,
        last_channel=32, num_classes=10)


def _convnext(models):
    block = models.convnext.CNBlockConfig
    return models.ConvNeXt([block(16, 32, 1), block(32, None, 1)],
                           num_classes=10)


_TINY = {"width": 32, "layers": 2, "heads": 4, "tokens": 12, "vocab_size": 64,
         "intermediate_size": 64, "max_position_embeddings": 32}

# The same architectures, small enough for the emulator of a GPU.
SMALL = {
    "ResNet-50": small_vision(lambda models: models.ResNet(
        models.resnet.Bottleneck, [1, 1, 1, 1], num_classes=10,
        width_per_group=16)),
    "MobileNetV3": vision("mobilenet_v3_large", 32, width_mult=0.25,
                          num_classes=10),
    "EfficientNet-B0": small_vision(_efficientnet),
    "ConvNeXt-T": small_vision(_convnext),
    "ViT-B": small_vision(lambda models: models.VisionTransformer(
        image_size=32, patch_size=8, num_layers=2, num_heads=2, hidden_dim=32,
        mlp_dim=64, num_classes=10)),
    "Swin-T": small_vision(lambda models: models.SwinTransformer(
        patch_size=[4, 4], embed_dim=16, depths=[2, 2], num_heads=[1, 2],
        window_size=[2, 2], num_classes=10)),
    "BERT-base": text("BertModel", "BertConfig", use_cache=None, **_TINY),
    "GPT-2": text("GPT2LMHeadModel", "GPT2Config", width=32, layers=2, heads=4,
                  tokens=12, vocab_size=64, n_positions=32),
    "Llama-style": text("LlamaForCausalLM", "LlamaConfig",
                        num_key_value_heads=2, **_TINY),
    "Qwen-style": text("Qwen2ForCausalLM", "Qwen2Config",
                       num_key_value_heads=2, **_TINY),
    "T5-small": t5(12, 6, vocab_size=64, d_model=32, d_kv=8, d_ff=64,
                   num_layers=2, num_heads=4),
    "Whisper-tiny": whisper(24, 6, vocab_size=64, d_model=32, num_mel_bins=8,
                            encoder_layers=2, decoder_layers=2,
                            encoder_attention_heads=4,
                            decoder_attention_heads=4, encoder_ffn_dim=64,
                            decoder_ffn_dim=64, pad_token_id=0, bos_token_id=1,
                            eos_token_id=2, decoder_start_token_id=1),
}
