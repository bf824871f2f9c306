"""Names to roles."""

from __future__ import annotations

import pytest

from spikedoc.ingest.aliases import role_of
from spikedoc.model.metric import Metric

ROLES = {
    Metric.LOSS: (
        "loss train_loss train/loss Loss/train Loss_train TRAIN_LOSS train.loss trainLoss "
        "train_loss_step training_loss reduced_train_loss lm_loss total_loss loss/train/total "
        "loss_metrics/global_avg_loss Train/Samples/train_loss loss/current learning/loss "
        "train/CrossEntropyLoss train/lm_loss batch_loss lm-loss-training/lm_loss train/total_loss "
        "train_loss_epoch epoch_loss train/epoch_loss loss/average mean_loss step_loss "
        "xent train_xent negative_log_likelihood train/neg_log_likelihood"
    ),
    Metric.VAL_LOSS: (
        "val_loss val/loss valid_loss validation_loss eval_loss eval/loss Loss/val Loss_val "
        "DEV_LOSS test_loss validation/lm_loss validation_metrics/loss validation/epoch_loss "
        "val_loss/dataloader_idx_0 vloss"
    ),
    Metric.GRAD_NORM: (
        "grad_norm train/grad_norm GradNorm grad-norm gnorm gradient_norm total_grad_norm "
        "optim/grad_norm l2_norm/grad/global grad/norm/total l2_grads grdn grad_2.0_norm_total "
        "learning/raw_grad_norm gradients_default_optimizer_global_norm grad-norm/grad-norm"
    ),
    Metric.UPDATE_NORM: ("update_norm UpdateNorm optim/update_norm updates/norm/total l2_updates"),
    Metric.WEIGHT_NORM: "weight_norm param_norm params-norm l2_params train/param_norm",
    Metric.LR: (
        "lr learning_rate LearningRate train/lr train/learning_rate lr-AdamW lr-Adam/pg1 lr/pg0 "
        "x/lr0 optim0_lr0 epoch_learning_rate lr-DecoupledAdamW/group0 charts/learning_rate "
        "optim/learning_rate_group0 Train/Samples/lr learning-rate/learning-rate base_lr"
    ),
    Metric.LOSS_SCALE: (
        "loss_scale loss-scale AMP/loss_scale grad_scale train/loss_scale amp_scale "
        "loss-scale/loss-scale [metric]grad_scaler Train/Samples/loss_scale"
    ),
    Metric.EPOCH: "epoch train/epoch trainer/epoch current_epoch time/epoch",
    Metric.EXP_AVG_NORM: "exp_avg_norm optim/exp_avg_norm",
    Metric.EXP_AVG_SQ_NORM: "exp_avg_sq_norm optim/exp_avg_sq_norm",
    Metric.VAL_METRIC: (
        "val_acc val/acc eval_accuracy Accuracy/val val_mae eval_f1 metrics/mAP50(B) test_acc1 "
        "val_dice validation/top1 DEV_F1 bbox/AP coco/bbox_mAP val_perplexity metrics/recall(B) "
        "val/auc eval/rouge1 val_rmse val_dsc metrics/HBBmAP.5 metrics/HBBmAP.5:.95 "
        "fine_tune_val_accuracy metrics/eval/MulticlassAccuracy metrics/eval/LanguagePerplexity "
        "val_MulticlassJaccardIndex eval_dev_pearson_cosine eval_nq_cosine_ndcg@10"
    ),
    Metric.TRAIN_METRIC: (
        "acc accuracy train_acc train/top1 mean_token_accuracy mae perplexity fitness "
        "log_likelihood train/marginal_log_likelihood best_fitness "
        "metrics/train/MulticlassAccuracy"
    ),
    Metric.REWARD: (
        "reward rew test_reward rollout/ep_rew_mean eval/mean_reward charts/episodic_return "
        "EpRewMean "
        "Evaluation/AverageReturn Train/mean_reward critic/rewards/mean Total_Reward total_rewards "
        "episode_total_reward rollout/return eval/return episode_return return ep_return "
        "cumulative_reward train/ep_ret AverageEpRet eval/AverageReturns undiscounted_return"
    ),
    Metric.LOSS_COMPONENT: (
        "loss_cls loss_bbox train/box_loss loss_main loss_aux gen/loss train/value_loss "
        "train/policy_gradient_loss loss_q0 z_loss"
    ),
    Metric.VAL_LOSS_COMPONENT: "val/box_loss val_loss_cls eval_news_loss",
    Metric.LAYER_GRAD_NORM: (
        "grad_2.0_norm/weight gradient_norms/layer.0.bias grad/norm/encoder l2_norm/grad/layer1"
    ),
    Metric.THROUGHPUT: (
        "train/samples_per_second tokens/s tokens_per_sec time/fps mfu throughput tps "
        "throughput/device/tokens_per_second train_samples_per_second"
    ),
    Metric.STEP_TIME: "step_time iteration-time batch_time iter_time train_step_timing_in_s",
    Metric.BATCH_SIZE: "batch_size batch-size/batch-size global_batch_size",
    Metric.SKIPPED_STEPS: "skipped optim/step_skipped number_of_skipped_iterations",
    Metric.MAX_LOGIT: "max_attention_logit max-attention-logit learning/max_logits",
    Metric.GRAD_NORM_CLIPPED: "grad_norm_clipped clipped_grad_norm grad_norm_after_clip",
    Metric.OTHER: (
        "hp_metric eval_embedding_samples_per_second train/scale eval_runtime "
        "eval_steps_per_second eval_samples_per_second "
        "lr-Adam-momentum lr-Adam/pg1-weight_decay train/train_loss memory eta_seconds "
        "data_time kl train/clip_fraction train/explained_variance best_test_acc best_f1"
    ),
}


@pytest.mark.parametrize(
    ("tag", "metric"), [(tag, metric) for metric, tags in ROLES.items() for tag in tags.split()]
)
def test_role(tag: str, metric: Metric) -> None:
    assert role_of(tag).metric is metric


@pytest.mark.parametrize("suffix", ["vs samples", "vs tokens"])
def test_curves_over_another_axis_are_refused(suffix: str) -> None:
    assert role_of(f"lm loss {suffix}").metric is Metric.OTHER
    assert role_of(f"grad-norm {suffix}").metric is Metric.OTHER


@pytest.mark.parametrize(
    ("tag", "metric", "rank"),
    [
        ("grad_norm_rank3", Metric.GRAD_NORM, 3),
        ("rank0/loss", Metric.LOSS, 0),
        ("loss/rank_2", Metric.LOSS, 2),
        ("train/rank12/grad_norm", Metric.GRAD_NORM, 12),
        ("grad_norm", Metric.GRAD_NORM, None),
    ],
)
def test_rank(tag: str, metric: Metric, rank: int | None) -> None:
    role = role_of(tag)
    assert (role.metric, role.rank) == (metric, rank)


def test_columns_that_wandb_exported() -> None:
    assert role_of("sunny-river-3 - train/loss").metric is Metric.LOSS
    assert role_of("sunny-river-3 - train/loss__MIN").metric is Metric.OTHER
    assert role_of("a - b - eval/loss").metric is Metric.VAL_LOSS


def test_epoch_means_are_coarse() -> None:
    assert role_of("train_loss_epoch").coarse
    assert not role_of("train_loss_step").coarse


@pytest.mark.parametrize("separator", list("/._- :"))
def test_separators_are_equal(separator: str) -> None:
    assert role_of(f"val{separator}loss").metric is Metric.VAL_LOSS
    assert role_of(f"Grad{separator}NORM").metric is Metric.GRAD_NORM


@pytest.mark.parametrize(
    "tag", ["loss " * 5000, "val/" * 5000 + "loss", "a_" * 10_000, "", "…", "("]
)
def test_strange_names_do_not_hang(ends: None, tag: str) -> None:
    assert isinstance(role_of(tag).metric, Metric)
